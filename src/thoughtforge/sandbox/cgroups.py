"""Control groups that hold a sandboxed command to its limits, and the sweep of those that killed owners left.

- Version 2 keeps everything in one tree, and a group with processes in it cannot have limited ones below it. So the
  nearest group above us that hands on the counting of processes is taken, when it has been given to this user.
- Version 1 has a tree for each thing that is counted. Only root can make groups there. Where somebody has already put
  us into a memory group, that one is theirs to divide: memory is then only watched.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import itertools
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox.box import SHARED_MEMORY_BYTES, ResourceLimits


class CgroupPlace(NamedTuple):
    """The folders in which groups are made; newer kernels need only one."""

    processes: Path
    memory: Path | None = None


class _Tree(NamedTuple):
    """One mounted tree of groups, and where in it we are."""

    kinds: frozenset[str]
    """What version 1 counts in it; empty for version 2."""
    top: Path
    own: Path


def find(process: Path = Path("/proc/self")) -> CgroupPlace | None:
    """The place for groups of this process; None where it can make none."""
    try:
        mounts = (process / "mountinfo").read_text()
        groups = (process / "cgroup").read_text()
    except OSError:
        return None  # no /proc, no control groups
    trees = [tree for line in mounts.splitlines() if (tree := _tree(line, groups))]
    return next(filter(None, map(_second, trees)), None) or _first(trees)


def _first(trees: list[_Tree]) -> CgroupPlace | None:
    counting = [tree for tree in trees if "pids" in tree.kinds and _ours(tree.own)]
    if not counting:
        return None
    memory = [tree.own for tree in trees if "memory" in tree.kinds and tree.own == tree.top and _ours(tree.own)]
    return CgroupPlace(counting[0].own, memory[0] if memory else None)


def _second(tree: _Tree) -> CgroupPlace | None:
    if tree.kinds:
        return None
    for folder in (tree.own, *tree.own.parents):
        if not folder.is_relative_to(tree.top):
            return None
        handed_on = _words(folder / "cgroup.subtree_control")
        if "pids" in handed_on:
            return CgroupPlace(folder, folder if "memory" in handed_on else None) if _ours(folder) else None
    return None


def _tree(line: str, groups: str) -> _Tree | None:
    """A line of the mount table as a tree of groups; None for every other mount."""
    before, _, after = line.partition(" - ")
    kind, _, options = (after.split() + ["", "", ""])[:3]
    if kind not in ("cgroup", "cgroup2"):
        return None
    root, point = before.split()[3:5]
    kinds = frozenset(options.split(",")) if kind == "cgroup" else frozenset[str]()
    own = _own(groups, kinds)
    if own is None or not own.is_relative_to(root) or ".." in own.parts:
        return None  # we are in a part of the tree that is not shown here
    return _Tree(kinds, Path(point), Path(point) / own.relative_to(root))


def _own(groups: str, kinds: frozenset[str]) -> PurePosixPath | None:
    for line in groups.splitlines():
        _, names, path = line.split(":", 2)
        if (not names and not kinds) or (names and kinds.issuperset(names.split(","))):
            return PurePosixPath(path)
    return None


def _ours(folder: Path) -> bool:
    """Whether we may make groups here and move processes into them."""
    return os.access(folder, os.W_OK | os.X_OK) and os.access(folder / "cgroup.procs", os.W_OK)


def _words(file: Path) -> list[str]:
    try:
        return file.read_text().split()
    except OSError:
        return []


PREFIX = "thoughtforge-"
LOOK_AGAIN_SECONDS = 0.002
ADVICE = "Run `thoughtforge doctor`: it tries again and shows what this machine can do."
PATIENCE_SECONDS = 10.0
"""How long the processes of an ended group may take to be gone; then its folder is left for the next sweep."""
SWEEP_SECONDS = 1.0
"""How long a start may wait, all in all, for the groups of killed owners to empty."""
_numbers = itertools.count()


class Cgroup(NamedTuple):
    """The group of one box: the folders the kernel keeps it in."""

    processes: Path
    memory: Path | None = None

    @property
    def folders(self) -> tuple[Path, ...]:
        """Each folder once; newer kernels keep everything in one."""
        return tuple(dict.fromkeys(folder for folder in (self.processes, self.memory) if folder))

    @property
    def doors(self) -> tuple[Path, ...]:
        """The files a process enters the group by: its number, or 0 for whoever writes, is written to each."""
        return tuple(folder / "cgroup.procs" for folder in self.folders)

    def enter(self, pid: int) -> None:
        """Put a process into the group, and with it all it will ever start; ProcessLookupError when it has ended."""
        try:
            for door in self.doors:
                door.write_text(str(pid))
        except ProcessLookupError:
            raise
        except OSError as error:
            raise UserError(
                f"a process could not join the cgroup {self.processes}: {error.strerror}", do=ADVICE
            ) from error

    def pids(self) -> tuple[int, ...]:
        """The living processes in it."""
        return tuple(map(int, _read(self.processes / "cgroup.procs").split()))

    def tasks(self) -> int:
        """How many threads and processes the kernel counts in it."""
        return int(_read(self.processes / "pids.current") or 0)

    def crossed(self) -> str:
        """The limit at which the kernel has already refused or ended something in it; empty when there is none."""
        if _count(self.processes / "pids.events", "max"):
            return "processes"
        if self.memory and any(
            _count(self.memory / name, "oom_kill") for name in ("memory.events", "memory.oom_control")
        ):
            return "memory_bytes"
        return ""

    def end(self) -> None:
        """Forbid forking, then kill everyone in it: nobody can be born while the others die."""
        with contextlib.suppress(OSError):
            (self.processes / "pids.max").write_text("0")
        at_once = self.processes / "cgroup.kill"
        if at_once.exists():
            with contextlib.suppress(OSError):
                at_once.write_text("1")
            return
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextlib.asynccontextmanager
async def made(place: CgroupPlace | None, limits: ResourceLimits) -> AsyncIterator[Cgroup | None]:
    """A group with these limits for one box, gone with everything in it afterwards; None where none can be made."""
    if place is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            group = _fresh(place, stack)
            limit(group, limits)
        except OSError as error:
            raise UserError(
                f"this process cannot create a cgroup in {place.processes}: {error.strerror}", do=ADVICE
            ) from error
        try:
            yield group
        finally:
            await _remove(group)


def sweep(place: CgroupPlace) -> None:
    """Remove the cgroups of killed owners; wait briefly for processes that are still ending."""
    deadline = time.monotonic() + SWEEP_SECONDS
    for folder in Cgroup(*place).folders:
        for left in folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError), _locked(left):
                Cgroup(left).end()
                while not _removed(left) and time.monotonic() < deadline:
                    time.sleep(LOOK_AGAIN_SECONDS)


def _fresh(place: CgroupPlace, stack: contextlib.ExitStack) -> Cgroup:
    """New folders, locked by us; another process may use the same names or sweep before we have the lock."""
    for attempt in itertools.count():
        name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        group = Cgroup(place.processes / name, place.memory / name if place.memory else None)
        try:
            with contextlib.ExitStack() as started:
                for folder in group.folders:
                    folder.mkdir()
                    started.enter_context(_locked(folder))
                stack.push(started.pop_all())
                return group
        except (FileExistsError, FileNotFoundError, BlockingIOError):
            if attempt >= 100:
                raise
    raise RuntimeError("counting has no end")


THREADS_PER_PROCESS = 8
"""The kernel counts a thread as much as a process; so many are allowed for each process that is."""


def most_tasks(limits: ResourceLimits) -> int:
    """How many processes and threads a box may have together."""
    return limits.processes * THREADS_PER_PROCESS


def most_memory(limits: ResourceLimits) -> int:
    """What the kernel may count as a box's memory: temporary files can live in memory too."""
    return limits.memory_bytes + limits.temp_bytes + SHARED_MEMORY_BYTES


def limit(group: Cgroup, limits: ResourceLimits) -> None:
    """Tell the kernel the limits of a group, in the words of the version it speaks."""
    (group.processes / "pids.max").write_text(str(most_tasks(limits)))
    if group.memory is None:
        return
    for name in ("memory.max", "memory.limit_in_bytes"):
        if (group.memory / name).exists():
            (group.memory / name).write_text(str(most_memory(limits)))
    # What went to swap would not count; and half a box is of no use to anybody.
    for name, value in (("memory.swap.max", "0"), ("memory.oom.group", "1")):
        if (group.memory / name).exists():
            (group.memory / name).write_text(value)


async def _remove(group: Cgroup) -> None:
    """End what is left and remove the folders, as soon as the kernel has let go of everyone."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE_SECONDS
    for folder in group.folders:
        while not _removed(folder) and loop.time() < deadline:
            group.end()
            await asyncio.sleep(LOOK_AGAIN_SECONDS)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False  # somebody in it is still dying
    return True


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock; BlockingIOError when somebody alive has it, FileNotFoundError when it is gone."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(number).st_ino != folder.stat().st_ino:  # swept away, and made anew, while we opened it
            raise FileNotFoundError(folder)
        yield
    finally:
        os.close(number)


def _count(file: Path, name: str) -> int:
    for line in _read(file).splitlines():
        if line.startswith(f"{name} "):
            return int(line.split()[1])
    return 0


def _read(file: Path) -> str:
    try:
        return file.read_text()
    except OSError:
        return ""  # the group is gone, and with it everyone in it
