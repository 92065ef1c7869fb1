"""Control groups: the kernel itself counts the processes of a box and refuses one too many.

Looking cannot do that: a box that forks fast enough is always ahead of whoever looks. A group is made for each box,
the box enters it before it runs anything, and forking in it is forbidden before it is ended, so nothing can outrun the
end either. A group is locked by its owner for as long as it lives; what a killed owner left is recognised by that.
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
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox.box import Limits, most_memory, most_tasks
from thoughtforge.sandbox.group_places import Place

PREFIX = "thoughtforge-"
LOOK_AGAIN_SECONDS = 0.002
ADVICE = "Run `thoughtforge doctor`: it tries again and says what this machine can do."
PATIENCE_SECONDS = 10.0
"""How long the processes of an ended group may take to be gone; then its folder is left for the next sweep."""
SWEEP_SECONDS = 1.0
"""How long a start may wait, all in all, for the groups of killed owners to empty."""
_numbers = itertools.count()


class Group(NamedTuple):
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
            raise Mistake(f"a process could not be put into {self.processes}: {error.strerror}", do=ADVICE) from error

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
async def made(place: Place | None, limits: Limits) -> AsyncIterator[Group | None]:
    """A group with these limits for one box, gone with everything in it afterwards; None where none can be made."""
    if place is None:
        yield None
        return
    with contextlib.ExitStack() as stack:
        try:
            group = _fresh(place, stack)
            limit(group, limits)
        except OSError as error:
            raise Mistake(f"no control group can be made in {place.processes}: {error.strerror}", do=ADVICE) from error
        try:
            yield group
        finally:
            await _remove(group)


def sweep(place: Place) -> None:
    """Remove what owners that were killed have left behind; whoever is still dying in it is waited for, briefly."""
    deadline = time.monotonic() + SWEEP_SECONDS
    for folder in Group(*place).folders:
        for left in folder.glob(f"{PREFIX}*"):
            with contextlib.suppress(OSError), _locked(left):
                Group(left).end()
                while not _removed(left) and time.monotonic() < deadline:
                    time.sleep(LOOK_AGAIN_SECONDS)


def _fresh(place: Place, stack: contextlib.ExitStack) -> Group:
    """New folders, locked by us; another process may use the same names or sweep before we have the lock."""
    for attempt in itertools.count():
        name = f"{PREFIX}{os.getpid()}-{next(_numbers)}"
        group = Group(place.processes / name, place.memory / name if place.memory else None)
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


def limit(group: Group, limits: Limits) -> None:
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


async def _remove(group: Group) -> None:
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
