"""An index of summaries so that a list of a thousand tasks is quick. Deleting it changes nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from thoughtforge import __version__
from thoughtforge.store.home import Home
from thoughtforge.views.values import TaskSummary, as_data

if TYPE_CHECKING:
    from thoughtforge.kernel.state import State

FORMAT = f"{__version__}/4"
"""Raise the number when a summary changes, so that every row is made again."""


def summaries(home: Home, state_of: Callable[[str], State]) -> list[dict[str, Any]]:
    """One summary per task, oldest first; a row that does not fit its log any more is made again."""
    path = home.tasks / "index"
    rows = _load(path)
    fresh: dict[str, Any] = {}
    changed = False
    for task_id in home.ids():
        key = _key(f"{home.tasks}/{task_id}")
        row = rows.get(task_id)
        if row is None or row["key"] != key:
            row = {"key": key, "summary": _summarise(task_id, state_of)}
            changed = True
        fresh[task_id] = row
    if changed or len(fresh) != len(rows):
        _save(path, fresh)
    return [row["summary"] for row in fresh.values()]


def _key(folder: str) -> list[Any]:
    """What must be equal for a row to count: the log's size and what its head vouches for.

    A list asks this a thousand times, so the paths are plain texts: a Path costs twice as much.
    """
    try:
        size = os.stat(f"{folder}/events.jsonl").st_size  # noqa: PTH116
    except FileNotFoundError:
        size = 0
    try:
        with open(f"{folder}/head", "rb") as file:  # noqa: PTH123
            head = file.read().decode("ascii", "replace")
    except FileNotFoundError:
        head = ""
    return [size, head]


def _load(path: Path) -> dict[str, Any]:
    """The rows as they were written; anything else, by whatever cause, counts as no row at all."""
    try:
        mark, _, text = path.read_bytes().partition(b"\n")
    except OSError:
        return {}
    rows: dict[str, Any] = json.loads(text) if mark == _mark(text) else {}
    return rows


def _mark(text: bytes) -> bytes:
    return f"{FORMAT} {hashlib.sha256(text).hexdigest()}".encode()


def _save(path: Path, rows: dict[str, Any]) -> None:
    text = json.dumps(rows).encode()
    try:
        fresh = path.with_name(f"index.{os.getpid()}")
        fresh.write_bytes(_mark(text) + b"\n" + text)
        fresh.replace(path)
    except OSError:
        return  # a list can be shown from a home that cannot be written


def _summarise(task_id: str, state_of: Callable[[str], State]) -> dict[str, Any]:
    data: dict[str, Any] = as_data(_summary(task_id, state_of))
    return data


def _summary(task_id: str, state_of: Callable[[str], State]) -> TaskSummary:
    from thoughtforge.kernel.errors import LogCorrupt
    from thoughtforge.views.tasks import summary

    try:
        state = state_of(task_id)
    except LogCorrupt as error:
        return TaskSummary.damaged(task_id, str(error))
    if state.task is None:
        return TaskSummary.damaged(task_id, "the log has no event")
    return summary(state)
