"""Watches a living box and says which limit it crossed.

The kernel's own limits do not do: RLIMIT_NPROC does not bind root, RLIMIT_AS breaks every runtime that reserves more
address space than it uses (node, Go, Java), and control groups need rights most people do not have. So we look, often.
Between two looks a box can overshoot; its processes are first in line when the machine runs out of memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from thoughtforge.sandbox import tree
from thoughtforge.sandbox.box import Limits

LOOK_SECONDS = 0.03
"""Time between two looks; one look at a box of five processes takes about a third of a millisecond."""
THREADS_PER_PROCESS = 16
"""A thread costs the machine as much as a process; so many are allowed for each process that is."""
FILES_WRITTEN = 16
"""Everything a box writes to disk together may be as large as so many of its largest files."""


class Living(NamedTuple):
    """A box whose command has been started."""

    child: asyncio.subprocess.Process
    root: int
    """The process below which everything in the box lives."""
    end: Callable[[], None]
    """Ends the box with everything in it."""
    temp_used: Callable[[], int]
    """Bytes its private temporary files take."""
    failure: Callable[[bytes], str]
    """Given its error output: why the command never began; empty when it did."""


async def watch(living: Living, limits: Limits) -> str:
    """Wait for the end of the box or the first limit it crosses; answers the limit's name, or nothing."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limits.wall_seconds
    ended = asyncio.ensure_future(living.child.wait())
    try:
        while True:
            await asyncio.wait([ended], timeout=max(0.0, min(LOOK_SECONDS, deadline - loop.time())))
            if ended.done():
                return ""
            crossed = _crossed(living, limits)
            if crossed or loop.time() >= deadline:
                return crossed or "wall_seconds"
    finally:
        ended.cancel()


def _crossed(living: Living, limits: Limits) -> str:
    most_threads = limits.processes * THREADS_PER_PROCESS
    pids, threads = tree.below(living.root, most=limits.processes)
    if len(pids) > limits.processes or threads > most_threads:
        return "processes"
    if tree.resident(pids) > limits.memory_bytes and tree.proportional(pids) > limits.memory_bytes:
        return "memory_bytes"
    if living.temp_used() >= limits.temp_bytes:
        return "temp_bytes"
    if tree.written((living.root, *pids)) > limits.file_bytes * FILES_WRITTEN:
        return "file_bytes"
    return ""
