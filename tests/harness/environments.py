"""Environments that were made before: the runs of one test session share them, as the tasks of one person do."""

from __future__ import annotations

import os
from pathlib import Path

_shared: Path | None = None


def keep(folder: Path) -> None:
    """Say where this session's temporary files are; beside those of one worker lie those of the others."""
    global _shared
    _shared = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "environments"
    _shared.mkdir(exist_ok=True)


def warm(home: Path) -> None:
    """Give a home the environments of the runs before; the tests about making one do without."""
    place = home / "environments"
    if _shared and not place.is_symlink():
        place.symlink_to(_shared, target_is_directory=True)
