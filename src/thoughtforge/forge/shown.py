"""What the file of a plan said when the engine last wrote it or took it in: what tells a person's edit from ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.model import Digest


class ShownFile(NamedTuple):
    """The state of the file that is dealt with. It is a fact of the disk, so it is no part of the record."""

    file: Digest
    """Of the file as it is."""
    text: Digest
    """The version on record that it shows, or that it was merged into."""
    status: str
    """What its status line says."""


def last_shown(folder: Path, plan: str) -> ShownFile | None:
    """What the file of the plan said; None when nobody knows."""
    try:
        row = json.loads((folder / f"{plan}.json").read_text(encoding="utf-8"))
        return ShownFile(str(row["file"]), str(row["text"]), str(row["status"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep(folder: Path, plan: str, shown: ShownFile) -> None:
    """Remember what the file says."""
    if shown == last_shown(folder, plan):
        return
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{plan}.new"
    fresh.write_text(json.dumps(shown._asdict()), encoding="utf-8")
    fresh.replace(folder / f"{plan}.json")
