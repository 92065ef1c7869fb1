"""Environments that were made before: runs of one test process share them, as the tasks of one person do."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


def warm(home: Path) -> None:
    """Give a home the environments of the runs before; the tests about making one do without."""
    place = home / "environments"
    if not place.is_symlink():
        place.symlink_to(_shared(), target_is_directory=True)


@cache
def _shared() -> Path:
    folder = tempfile.mkdtemp(prefix="environments-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
