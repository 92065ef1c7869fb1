"""A command in a box: what it may see, write and use up. Who builds the box is a file beside this one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

REPORT_FD = "THOUGHTFORGE_REPORT_FD"
"""The variable that tells a boxed program the number of its report pipe."""


class Mount(NamedTuple):
    """A folder or file the command can see, read-only unless it says otherwise."""

    source: Path
    writable: bool = False
    target: Path | None = None
    """Where it appears; at its own path unless given. Another place needs a box with mounts of its own."""


class Limits(NamedTuple):
    """What a command may use up. Whoever crosses one is ended with everything it started."""

    wall_seconds: float = 600.0
    memory_bytes: int = 4 * 1024**3
    processes: int = 256
    file_bytes: int = 1024**3
    """The largest single file it may write."""
    temp_bytes: int = 1024**3
    """All of its private temporary files together."""
    idle_seconds: float = 0.0
    """The longest time without a sign of life; 0 for no such limit."""


class Box(NamedTuple):
    """Everything a command gets; what is not named here it does not have."""

    cwd: Path
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = {}
    limits: Limits = Limits()
    network: bool = False


class Boxed(NamedTuple):
    """How a boxed command ended."""

    code: int
    stdout: bytes
    stderr: bytes
    report: bytes
    """What came through the report pipe, up to the moment the command ended."""
    stopped: str
    """The limit that ended it (`wall_seconds`, `processes`, …); empty when it ended by itself."""
    cut: bool
    """Whether output was dropped for its size."""


THREADS_PER_PROCESS = 8
"""The kernel counts a thread as much as a process; so many are allowed for each process that is."""
SHARED_MEMORY_BYTES = 64 * 1024**2


def most_tasks(limits: Limits) -> int:
    """How many processes and threads a box may have together."""
    return limits.processes * THREADS_PER_PROCESS


def most_memory(limits: Limits) -> int:
    """What the kernel may count as a box's memory: temporary files can live in memory too."""
    return limits.memory_bytes + limits.temp_bytes + SHARED_MEMORY_BYTES
