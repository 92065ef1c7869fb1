"""The repository of a task, and only when the person stands in it: nothing is written into any other one.

A task keeps the path of its repository. After a copy that path leads to the original, after a move to nothing; a person
lets the task follow with `thoughtforge attach`, and that is on record.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Task
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task
from thoughtforge.views import THINK
from thoughtforge.workspaces.events import TaskMoved
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.project import lost


class Attached(NamedTuple):
    """Where the task's repository was and where it is now."""

    before: str
    repository: str


async def own_repository(app: App, task: Task, *, command: str) -> Git:
    """The task's repository when the person stands in it; else a Mistake with both paths and the next command."""
    git = await find_own(app, task)
    if git is None:
        raise await _elsewhere(app, task, command)
    return git


async def find_own(app: App, task: Task) -> Git | None:
    """The task's repository as seen from where the person stands; None when they stand elsewhere."""
    if task.goal == THINK:
        return await _project(app, task)
    here = await _here(app.cwd, app.search_path)
    if here is None:
        return None
    recorded = Path(task.repository)
    if here.repository.root.resolve() == recorded.resolve():
        return here
    return here if await _same_worktrees(here, recorded) else None


async def attach(app: App, task_id: str) -> Attached:
    """Let a task belong to the repository the person stands in; only one that has its base commit."""
    with open_task(app.store, task_id, who=f"{app.program} of {app.who}") as task:
        return await _attach(app, task.journal)


async def follow_project(app: App, journal: Journal, git: Git) -> None:
    """A thought's project lies beside its record, so when the home has moved the task follows by itself."""
    task = journal.state.the_task()
    if task.goal == THINK and Path(task.repository).resolve() != git.repository.root.resolve():
        journal.append(TaskMoved(before=task.repository, repository=str(git.repository.root), by=app.who))


async def _attach(app: App, journal: Journal) -> Attached:
    task = journal.state.the_task()
    if task.goal == THINK:
        raise Mistake(
            f"{task.id} is a thought; its project lies in {app.home.project(task.id)} and moves with it",
            do=f"Go on: thoughtforge continue {task.id}",
        )
    here = Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    root = str(here.repository.root)
    if await here.resolve(task.base_commit) is None:
        raise Mistake(
            f"{root} does not have commit {task.base_commit[:12]}, which task {task.id} began from",
            do=f"Go to the repository that has it, then: thoughtforge attach {task.id}",
        )
    if root != task.repository:
        journal.append(TaskMoved(before=task.repository, repository=root, by=app.who))
    return Attached(task.repository, root)


async def _project(app: App, task: Task) -> Git:
    """A thought works in the project beside its record, whatever path the record names."""
    root = app.home.project(task.id)
    git = await _here(root, app.search_path) if root.is_dir() else None
    if git is None or git.repository.root.resolve() != root.resolve():
        raise lost(f"{root} has no git directory" if root.is_dir() else f"{root} is gone")
    return git


async def _here(folder: Path, path: str) -> Git | None:
    try:
        return Git(await find_repository(folder, path=path), path=path)
    except Mistake:
        return None


async def _same_worktrees(here: Git, recorded: Path) -> bool:
    """Whether both are working folders of one repository, and git itself knows this one."""
    other = await _here(recorded, here.env["PATH"]) if recorded.is_dir() else None
    if other is None or (await other.common_dir()).resolve() != (await here.common_dir()).resolve():
        return False
    # a copy of a linked worktree, or any folder whose .git leads here, names the same git directory without being git's
    raw = await other.output("worktree", "list", "--porcelain", "-z")
    lines = raw.decode("utf-8", "surrogateescape").split("\0")
    known = {Path(line.removeprefix("worktree ")).resolve() for line in lines if line.startswith("worktree ")}
    return here.repository.root.resolve() in known


async def _elsewhere(app: App, task: Task, command: str) -> Mistake:
    here = await _here(app.cwd, app.search_path)
    where = str(here.repository.root) if here else f"{app.cwd}, which is in no repository"
    there = Path(task.repository)
    do = []
    if there.is_dir():
        do.append(f"Go there: cd {shlex.quote(task.repository)} && thoughtforge {command} {task.id}")
    if here and await here.resolve(task.base_commit):
        moved = "To continue it in this repository instead" if do else "If you moved the repository here"
        do.append(f"{moved}: thoughtforge attach {task.id}, then thoughtforge {command} {task.id}")
    if not do:
        do.append(f"Go to the repository that has commit {task.base_commit[:12]}, then: thoughtforge attach {task.id}")
    gone = "" if there.is_dir() else ", which is gone"
    return Mistake(
        f"task {task.id} belongs to the repository {task.repository}{gone}; you are in {where}. Nothing was changed",
        do=". ".join(do),
    )
