"""Where a path leads when every link on the way is followed, worked out and not tried."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePosixPath

HOPS = 40
"""Links on one way; the kernel follows as many."""


def led(root: PurePosixPath, path: str, target_of: Callable[[PurePosixPath], str | None]) -> PurePosixPath | None:
    """The place a path below a root leads to; None when its links go round in circles. `target_of` reads a link."""
    at, hops = root, 0
    todo = [*reversed(PurePosixPath(path).parts)]
    while todo:
        part = todo.pop()
        if part in ("/", ".."):
            at = PurePosixPath("/") if part == "/" else at.parent
            continue
        target = target_of(at / part)
        if target is None:
            at = at / part
            continue
        hops += 1
        if hops > HOPS:
            return None
        todo += reversed(PurePosixPath(target).parts)
    return at
