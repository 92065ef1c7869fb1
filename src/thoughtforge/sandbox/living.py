"""A box whose command has been started, and its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox import process, tree
from thoughtforge.sandbox.groups import Group

END_SECONDS = 5.0
"""How long the end of a box may take before its builder is killed as well."""


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
    group: Group | None = None
    """What the kernel counts its processes by, where it can be made."""

    def inside(self, most: int) -> tree.Tree:
        """Its processes and how many threads they have; may stop looking once there are more than `most`."""
        if self.group is None:
            return tree.below(self.root, most=most)
        return tree.Tree(tuple(pid for pid in self.group.pids() if pid != self.root), self.group.tasks())


async def undisturbed(starting: Coroutine[Any, Any, Living]) -> Living:
    """Finish a start that has begun, also for a caller that is cancelled: half a box has no one to end it."""
    task = asyncio.ensure_future(starting)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(Mistake):
            await end(await task)
        raise


async def end(living: Living) -> int:
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


def _end_group(living: Living) -> None:
    if living.group:
        living.group.end()
