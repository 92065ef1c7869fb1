"""A sandboxed command: what it may see, write and use. Other files of this package build the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

REPORT_FD = "THOUGHTFORGE_REPORT_FD"
"""The variable with the number of the report pipe of a sandboxed program."""
SHARED_MEMORY_BYTES = 64 * 1024**2
"""What a box may keep in /dev/shm."""


class Mount(NamedTuple):
    """A folder or file the command can see, read-only unless it says otherwise."""

    source: Path
    writable: bool = False
    target: Path | None = None
    """Where it appears; by default at its own path. Another path needs a sandbox with its own mounts."""


class ResourceLimits(NamedTuple):
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


class SandboxSpec(NamedTuple):
    """Everything a command gets; what is not named here it does not have."""

    cwd: Path
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = {}
    limits: ResourceLimits = ResourceLimits()
    network: bool = False


class SandboxResult(NamedTuple):
    """How a boxed command ended."""

    code: int
    stdout: bytes
    stderr: bytes
    report: bytes
    """What came through the report pipe, up to the moment the command ended."""
    stopped: str
    """The limit that ended it (`wall_seconds`, `processes`, …); empty when the command ended on its own."""
    cut: bool
    """Whether output was dropped for its size."""
