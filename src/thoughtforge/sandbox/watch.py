"""The processes below a process, what they use up, as the kernel tells it in /proc, and the limits they are held to.

It sees what is there at one moment: a process that forks while it is asked may be missed, the next look finds it.
Where there is no /proc (macOS) nothing is found.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import signal
from collections.abc import Callable, Coroutine, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.sandbox import process
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.sandbox.cgroups import Cgroup, most_tasks

PAGE = os.sysconf("SC_PAGE_SIZE")
GONE = (FileNotFoundError, ProcessLookupError, NotADirectoryError)
HIDDEN = (*GONE, PermissionError)
STOP_ROUNDS = 10_000
"""Where nothing bounds the number of processes, stopping them may never come to an end; then we kill who we have."""


class ProcessTree(NamedTuple):
    """Every process below one, and how many threads they have together."""

    pids: tuple[int, ...]
    threads: int


def below(root: int, *, most: int = 1_000_000) -> ProcessTree:
    """Children, their children and so on; stops looking once there are more than `most`."""
    found: list[int] = []
    threads = 0
    waiting = [root]
    while waiting and len(found) <= most:
        pid = waiting.pop()
        tasks = _tasks(pid)
        for task in tasks:
            with contextlib.suppress(*GONE):
                waiting += map(int, Path(f"/proc/{pid}/task/{task}/children").read_bytes().split())
        if pid != root:
            found.append(pid)
            threads += len(tasks)
    return ProcessTree(tuple(found), threads)


def resident(pids: Sequence[int]) -> int:
    """Bytes in memory, pages shared between two processes counted twice: an upper bound that costs little."""
    pages = 0
    for pid in pids:
        with contextlib.suppress(*GONE):
            pages += int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    return pages * PAGE


def proportional(pids: Sequence[int]) -> int:
    """Bytes in memory, each shared page counted once altogether: exact, and too slow to ask all the time."""
    return sum(_proportional(pid) for pid in pids)


def written(pids: Sequence[int]) -> int:
    """Bytes sent to disks by these processes and by children they waited for; file systems in memory do not count."""
    total = 0
    for pid in pids:
        with contextlib.suppress(*HIDDEN):
            total += _field(Path(f"/proc/{pid}/io"), b"write_bytes:")
    return total


def end_tree(root: int) -> bool:
    """Stop everything below a process, then kill it; answers whether there was anything.

    Whoever is stopped cannot fork and still counts against the limit of processes: where there is one, stopping comes
    to an end however fast the others fork. Killing at once would make room for new ones.
    """
    stopped: set[int] = set()
    for _ in range(STOP_ROUNDS):
        fresh = set(below(root).pids) - stopped
        if not fresh:
            break
        _signal(fresh, signal.SIGSTOP)
        stopped |= fresh
    _signal(stopped, signal.SIGKILL)
    return bool(stopped)


def _signal(pids: Iterable[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _tasks(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - names are enough and this runs often
    except GONE:
        return []


def _proportional(pid: int) -> int:
    try:
        return _field(Path(f"/proc/{pid}/smaps_rollup"), b"Pss:") * 1024
    except HIDDEN:
        return resident([pid])


def _field(file: Path, name: bytes) -> int:
    for line in file.read_bytes().splitlines():
        if line.startswith(name):
            return int(line.split()[1])
    return 0


END_SECONDS = 5.0
"""How long the end of a box may take before its builder is killed as well."""


class RunningSandbox(NamedTuple):
    """A box whose command has been started."""

    child: asyncio.subprocess.Process
    root: int
    """The ancestor of every process in the sandbox."""
    end: Callable[[], None]
    """Ends the sandbox with everything in it."""
    temp_used: Callable[[], int]
    """Bytes its private temporary files take."""
    failure: Callable[[bytes], str]
    """Given its error output: why the command never began; empty when it did."""
    group: Cgroup | None = None
    """What the kernel counts its processes by, where it can be made."""

    def inside(self, most: int) -> ProcessTree:
        """Its processes and how many threads they have; may stop looking once there are more than `most`."""
        if self.group is None:
            return below(self.root, most=most)
        return ProcessTree(tuple(pid for pid in self.group.pids() if pid != self.root), self.group.tasks())


async def undisturbed(starting: Coroutine[Any, Any, RunningSandbox]) -> RunningSandbox:
    """Finish a start that has begun, also for a caller that is cancelled: half a box has no one to end it."""
    task = asyncio.ensure_future(starting)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(UserError):
            await end(await task)
        raise


async def end(living: RunningSandbox) -> int:
    """End what is left of a box; answers the exit code, 128 and the number for a signal."""
    if living.child.returncode is None:
        _end_group(living)
        living.end()
    try:
        code = await asyncio.wait_for(living.child.wait(), END_SECONDS)
    except TimeoutError:
        process.kill_group(living.child.pid)
        code = await living.child.wait()
    _end_group(living)  # whoever has outlived the command
    return code if code >= 0 else 128 - code


def _end_group(living: RunningSandbox) -> None:
    if living.group:
        living.group.end()


LOOK_SECONDS = 0.03
"""Time between two looks; one look at a box of five processes takes about a third of a millisecond."""
FILES_WRITTEN = 16
"""Everything a box writes to disk together may be as large as so many of its largest files."""


async def watch(living: RunningSandbox, limits: ResourceLimits, *, heard: Callable[[], float] | None = None) -> str:
    """Wait for the end of the box or the first limit it crosses; answers the limit's name, or nothing.

    `heard` tells when the last sign of life came, by the loop's clock.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limits.wall_seconds
    ended = asyncio.ensure_future(living.child.wait())
    try:
        while True:
            await asyncio.wait([ended], timeout=max(0.0, min(LOOK_SECONDS, deadline - loop.time())))
            if ended.done():
                return living.group.crossed() if living.group else ""
            crossed = _crossed(living, limits)
            if crossed or loop.time() >= deadline:
                return crossed or "wall_seconds"
            if heard and limits.idle_seconds and loop.time() - heard() >= limits.idle_seconds:
                return "idle_seconds"
    finally:
        ended.cancel()


def _crossed(living: RunningSandbox, limits: ResourceLimits) -> str:
    refused = living.group.crossed() if living.group else ""
    if refused:
        return refused
    pids, threads = living.inside(limits.processes)
    if len(pids) > limits.processes or threads >= most_tasks(limits):
        return "processes"
    if resident(pids) > limits.memory_bytes and proportional(pids) > limits.memory_bytes:
        return "memory_bytes"
    if living.temp_used() >= limits.temp_bytes:
        return "temp_bytes"
    if written((living.root, *pids)) > limits.file_bytes * FILES_WRITTEN:
        return "file_bytes"
    return ""


def bound(limits: ResourceLimits, *, own_namespace: bool) -> int:
    """The value of RLIMIT_NPROC for a box with these limits; 0 where it binds nobody."""
    if os.getuid() == 0:
        return 0
    return most_tasks(limits) + (0 if own_namespace and _counted_apart() else user_tasks())


def user_tasks() -> int:
    """How many threads and processes this user has at the moment."""
    total = 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == os.getuid():
                total += len(list((entry / "task").iterdir()))
    return total


def _counted_apart() -> bool:
    major, minor, *_ = platform.release().split(".")
    return (int(major), int(minor)) >= (5, 14)
