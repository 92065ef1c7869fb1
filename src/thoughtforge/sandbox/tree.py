"""The processes below a process, and what they use up, as the kernel tells it in /proc.

It sees what is there at one moment: a process that forks while it is asked may be missed, the next look finds it.
Where there is no /proc (macOS) nothing is found.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

PAGE = os.sysconf("SC_PAGE_SIZE")
GONE = (FileNotFoundError, ProcessLookupError, NotADirectoryError)
HIDDEN = (*GONE, PermissionError)
STOP_ROUNDS = 10_000
"""Where nothing bounds the number of processes, stopping them may never come to an end; then we kill who we have."""


class Tree(NamedTuple):
    """Every process below one, and how many threads they have together."""

    pids: tuple[int, ...]
    threads: int


def below(root: int, *, most: int = 1_000_000) -> Tree:
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
    return Tree(tuple(found), threads)


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


def end(root: int) -> bool:
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
