"""Remove tasks that are no longer needed, each while holding its lease."""

from __future__ import annotations

import shutil
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import TaskLocked
from thoughtforge.service.app import App
from thoughtforge.service.handover import keep_work
from thoughtforge.service.open_task import open_task

HALF_MADE_SECONDS = 3600


def prunable(app: App, *, days: float, halted: bool) -> list[str]:
    """Finished tasks whose last event is older than `days`."""
    now = datetime.fromisoformat(app.clock())
    states = {"done", "halted"} if halted else {"done"}
    rows = [row for row in app.store.summaries() if row["state"] in states and row.get("last_activity")]
    return [
        row["task"]
        for row in rows
        if (now - datetime.fromisoformat(row["last_activity"])).total_seconds() >= days * 86400
    ]


def _old(app: App, path: Path) -> bool:
    """Nobody makes a project for an hour."""
    return datetime.fromisoformat(app.clock()).timestamp() - path.stat().st_mtime > HALF_MADE_SECONDS


class Pruned(NamedTuple):
    """Which tasks are gone, and why others are not."""

    removed: list[str]
    kept: dict[str, str]


async def prune(app: App, tasks: list[str]) -> Pruned:
    """Remove them, each while holding its lease. What a crash left half made goes too."""
    pruned = Pruned([], {})
    app.store.sweep(who=app.who)
    known = app.store.ids()
    for half_made in app.home.projects.glob(".*"):
        if half_made.is_symlink() or not half_made.is_dir():
            continue  # we make only folders
        if half_made.name.removeprefix(".") in known or _old(app, half_made):
            shutil.rmtree(half_made)
    for task_id in tasks:
        try:
            with open_task(app.store, task_id, who=app.who) as task:
                why = await keep_work(app, task)
                if why:
                    pruned.kept[task_id] = why
                    continue
                app.store.remove(task)
                for home in app.machine.homes.glob(f"{task_id}-*"):
                    shutil.rmtree(home, ignore_errors=True)
        except TaskLocked:
            pruned.kept[task_id] = "it runs"
            continue
        pruned.removed.append(task_id)
    return pruned
