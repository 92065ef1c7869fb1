"""An index of summaries so that a list of a thousand tasks is quick. Deleting it changes nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from thoughtforge import __version__
from thoughtforge.store.home import Home

FORMAT = f"{__version__}/1"


def summaries(home: Home) -> list[dict[str, Any]]:
    """One summary per task, oldest first; a row that does not fit its log any more is made again."""
    path = home.tasks / "index.json"
    rows = _load(path)
    fresh: dict[str, Any] = {}
    changed = False
    for task_id in home.ids():
        key = _key(home.folder(task_id))
        row = rows.get(task_id)
        if row is None or row["key"] != key:
            row = {"key": key, "summary": _summarise(home.folder(task_id))}
            changed = True
        fresh[task_id] = row
    if changed or len(fresh) != len(rows):
        _save(path, fresh)
    return [row["summary"] for row in fresh.values()]


def _key(folder: Path) -> list[Any]:
    """What must be equal for a row to count: the log's size and what its head vouches for."""
    try:
        size = os.stat(folder / "events.jsonl").st_size  # noqa: PTH116 - a Path.stat costs twice as much, a thousand times
    except FileNotFoundError:
        size = 0
    try:
        with open(folder / "head", "rb") as file:  # noqa: PTH123
            head = file.read().decode("ascii", "replace")
    except FileNotFoundError:
        head = ""
    return [size, head]


def _load(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_bytes())
        rows = data["rows"] if data["format"] == FORMAT else {}
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    usable = isinstance(rows, dict) and all(
        isinstance(r, dict) and {"key", "summary"} <= r.keys() for r in rows.values()
    )
    return rows if usable else {}


def _save(path: Path, rows: dict[str, Any]) -> None:
    try:
        fresh = path.with_name(f"index.{os.getpid()}")
        fresh.write_text(json.dumps({"format": FORMAT, "rows": rows}))
        fresh.replace(path)
    except OSError:
        return  # a list can be shown from a home that cannot be written


def _summarise(folder: Path) -> dict[str, Any]:
    from thoughtforge import views
    from thoughtforge.kernel.errors import LogCorrupt
    from thoughtforge.kernel.fold import EMPTY, fold
    from thoughtforge.store.log import read_records

    try:
        state = fold(EMPTY, read_records(folder))
    except LogCorrupt as error:
        return _damaged(folder, str(error))
    if state.task is None:
        return _damaged(folder, "the log has no event")
    return views.summary(state)


def _damaged(folder: Path, what: str) -> dict[str, Any]:
    return {
        "task": folder.name,
        "request": "",
        "state": "halted",
        "reason": "log_damaged",
        "detail": what,
        "next_action": f"See the damage: thoughtforge verify {folder.name}",
        "stage": None,
        "progress": 0.0,
        "labels": [],
        "waiting": None,
    }
