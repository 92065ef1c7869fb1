"""Put a deliverable back as an earlier review saw it, in a commit of its own."""

from __future__ import annotations

import json
from typing import NamedTuple

from thoughtforge.intake.code_files import is_code
from thoughtforge.intake.documents import PLAN
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.review.best import best_iteration
from thoughtforge.review.rounds import ROUNDS, resolved
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task
from thoughtforge.workspaces.person import person
from thoughtforge.workspaces.project import Project


class Restored(NamedTuple):
    """Which iteration lies there now, and the commit that says so."""

    iteration: int
    commit: str


def _is_plan(path: str) -> bool:
    return path == PLAN


async def restore(app: App, task_id: str, iteration: int | None = None) -> Restored:
    """The best iteration, or the one asked for; refused while somebody runs the task."""
    with open_task(app.store, task_id, who=app.who) as task:
        rounds = resolved(task.journal.of(ROUNDS), lambda digest: dict(json.loads(task.blobs.get(digest))))
        if not rounds.rounds:
            raise Mistake(f"task {task_id} has no review yet", do=f"Look: thoughtforge status {task_id}")
        number = iteration or best_iteration(rounds.history())
        known = {one.review.iteration: one.review.commit for one in rounds.rounds}
        if number not in known:
            raise Mistake(f"there is no iteration {number}", do=f"There are {', '.join(map(str, known))}.")
        project = Project(app.home.project(task_id), path=app.search_path)
        when, plan = app.clock(), (project.root / PLAN).is_file()
        task.held()
        if await project.changed():
            author = await person(project.git, app.user_home)
            await project.commit("Edits by a person", step=f"edits-{when}", when=when, author=author)
        await project.restore(known[number], _is_plan if plan else is_code)
        commit = await project.commit(f"Back to iteration {number}", step=f"restore-{when}", when=when)
        task.journal.append(WarningGiven(text=f"iteration {number} was put back by {app.who}", code="put_back"))
        return Restored(number, commit)
