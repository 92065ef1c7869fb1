"""How an ordinary user's processes are bound where no control group can be made: RLIMIT_NPROC.

The kernel counts all threads and processes of the user, and since 5.14 those of a user namespace apart from the others.
Root is never bound by it. Only the standard library may be imported here: the launcher of the weak sandbox uses it.
"""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path

from thoughtforge.sandbox.box import Limits, most_tasks


def bound(limits: Limits, *, own_namespace: bool) -> int:
    """The value of RLIMIT_NPROC for a box with these limits; 0 where it binds nobody."""
    if os.getuid() == 0:
        return 0
    return most_tasks(limits) + (0 if own_namespace and _counted_apart() else now())


def now() -> int:
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
