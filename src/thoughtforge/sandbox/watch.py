"""Watches a living box and says which limit it crossed.

The number of processes is bound by the kernel: by a control group, or for an ordinary user by RLIMIT_NPROC. The rest it
cannot do for everyone: RLIMIT_AS breaks every runtime that reserves more address space than it uses (node, Go, Java),
and most people have no group for memory. So we look, often. Between two looks a box can overshoot its memory and its
disk; its processes are first in line when the machine runs out of memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from thoughtforge.sandbox import tree
from thoughtforge.sandbox.box import Limits, most_tasks
from thoughtforge.sandbox.living import Living

LOOK_SECONDS = 0.03
"""Time between two looks; one look at a box of five processes takes about a third of a millisecond."""
FILES_WRITTEN = 16
"""Everything a box writes to disk together may be as large as so many of its largest files."""


async def watch(living: Living, limits: Limits, *, heard: Callable[[], float] | None = None) -> str:
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


def _crossed(living: Living, limits: Limits) -> str:
    refused = living.group.crossed() if living.group else ""
    if refused:
        return refused
    pids, threads = living.inside(limits.processes)
    if len(pids) > limits.processes or threads >= most_tasks(limits):
        return "processes"
    if tree.resident(pids) > limits.memory_bytes and tree.proportional(pids) > limits.memory_bytes:
        return "memory_bytes"
    if living.temp_used() >= limits.temp_bytes:
        return "temp_bytes"
    if tree.written((living.root, *pids)) > limits.file_bytes * FILES_WRITTEN:
        return "file_bytes"
    return ""
