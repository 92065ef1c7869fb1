"""Wait for work of the engine and look into the inbox meanwhile: an abort ends it at once, with all its processes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.stops import StopReason

LOOK_EVERY = 0.2
"""Seconds between looks into the inbox."""
T = TypeVar("T")


async def watched(journal: Journal, absorb: Callable[[], None], work: Awaitable[T]) -> T:
    """What the work comes to; Stop when the task was aborted before that."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait({task}, timeout=LOOK_EVERY)
            if task.done():
                break
            absorb()
            if journal.state.stop is StopReason.aborted:
                raise Stop(StopReason.aborted)
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
