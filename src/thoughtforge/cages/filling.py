"""How much an agent has put into its private home: a disk is filled from there as well as from its temporary folder."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from thoughtforge.calls.errors import ProviderError

LOOK_SECONDS = 0.5
BLOCK = 512
"""Bytes of a block as the kernel counts them, whatever the disk's are."""


async def overfull(home: Path, most: int) -> None:
    """Wait until a home takes more bytes than it may."""
    while await asyncio.to_thread(used, home) <= most:
        await asyncio.sleep(LOOK_SECONDS)


def used(home: Path) -> int:
    """Bytes the files of a home take on disk; a link is not followed, a file with two names counts once."""
    sizes: dict[tuple[int, int], int] = {}
    waiting = [home]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for each in found:
                    about = each.stat(follow_symlinks=False)
                    sizes[about.st_dev, about.st_ino] = about.st_blocks * BLOCK
                    waiting += [Path(each.path)] if each.is_dir(follow_symlinks=False) else []
        except PermissionError:
            return sys.maxsize  # nobody needs a folder that cannot be looked into
        except OSError:
            continue  # gone meanwhile
    return sum(sizes.values())


def emptied(home: Path, most: int, program: str) -> ProviderError:
    """Make room again once the agent has ended; the failure to tell."""
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(exist_ok=True, mode=0o700)
    what = f"{program} put more than {most // 1024**2} MB into its private home; that was emptied"
    return ProviderError("limits", what, do="Give it a smaller piece of work.")
