"""What a person does with a result: look at it, apply it to the branch they are on, or discard it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.library import open_library
from thoughtforge.service.open_task import open_task
from thoughtforge.service.own_repository import own_repository
from thoughtforge.service.recorded_workspace import recorded_workspace
from thoughtforge.service.workshop import open_workshop
from thoughtforge.store.port import OpenTask
from thoughtforge.workshop.red import lost
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.events import RefWritten
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.handover import delivery_ref
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.onto_current import Onto, apply_to_current, onto_current
from thoughtforge.workspaces.person import person


class Applied(NamedTuple):
    """What applying did."""

    onto: Onto
    paths: tuple[str, ...]
    verified: str
    """How the outcome was measured, in words."""


async def difference(app: App, task_id: str) -> str:
    """The change a task has made so far, as people read it."""
    state, workspace = await _opened(app, task_id)
    # while it runs its index is the runner's; what is committed can always be read
    now = await workspace.tip() if app.store.peek(task_id).holder() else await workspace.tree()
    return await workspace.diff(state.the_task().base_commit, now)


async def apply(app: App, task_id: str) -> Applied:
    """Bring a delivered commit onto the current branch; a merge is measured before anything is touched."""
    with _held(app, task_id) as opened:
        journal = opened.journal
        commit = _delivered(journal.state)
        task = journal.state.the_task()
        user = await own_repository(app, task, command="apply")
        workspace = await recorded_workspace(opened, user=user, files=False)
        onto = await onto_current(
            user,
            workspace,
            commit=commit,
            message=f"Merge the result of {task.id}\n\nThoughtForge-Task: {task.id}",
            author=await person(user, app.user_home),
            when=app.clock(),
        )
        verified = "the delivered commit itself, measured at delivery"
        if onto.how == "merge":
            verified = await _verify(app, opened, onto=onto, user=user)
        opened.held()
        paths = await apply_to_current(user, workspace, onto=onto, home=app.user_home)
        if paths:
            journal.append(RefWritten(ref=f"refs/heads/{onto.branch}", commit=onto.after, why="applied"))
        return Applied(onto, paths, verified)


async def _verify(app: App, opened: OpenTask, *, onto: Onto, user: Git) -> str:
    """The base has moved: the whole suite runs on the merged files before the person's branch moves."""
    app.require_trust()  # the tests run with the settings they were measured with
    task = opened.journal.state.the_task()
    async with (
        open_library(app, commit=task.base_commit, git=user, kept=opened.local / KEPT) as library,
        open_workshop(app, opened, library=library) as workshop,
    ):
        if workshop is None:
            raise Mistake(f"{task.id} wrote no code to apply", do="Look: thoughtforge inspect " + task.id)
        report = await workshop.test(onto.after)
        known = {*workshop.baseline.failing, *workshop.baseline.flaky}
        failing = [r for r in report.results.values() if r.outcome == "failed" and r.id not in known]
        problems = (*lost(workshop, report), *(f"{r.id} fails: {r.error}" for r in failing))
    if problems:
        raise Mistake(
            f"{onto.branch} moved on, and together with it the tests do not pass",
            do=f"Merge by hand: git merge {delivery_ref(task.id).removeprefix('refs/heads/')}",
            details=tuple(dict.fromkeys(problems))[:20],
        )
    return f"merged with {onto.branch} as it is now, {len(report.results)} tests run on the outcome"


async def discard(app: App, task_id: str) -> str:
    """Take the delivered branch out of the repository; the record and the workspace stay."""
    with _held(app, task_id) as opened:
        journal = opened.journal
        commit = _delivered(journal.state)
        user = await own_repository(app, journal.state.the_task(), command="discard")
        ref = delivery_ref(task_id)
        there = await user.resolve(ref)
        if there is None:
            return f"{ref.removeprefix('refs/heads/')} is not in the repository any more"
        if there != commit:
            raise Mistake(
                f"{ref.removeprefix('refs/heads/')} has commits that are not the task's",
                do=f"Look at them first; to delete it all the same: git branch -D {ref.removeprefix('refs/heads/')}",
            )
        journal.log.check_lease()
        await user.write("update-ref", "-d", ref, commit)
        journal.append(RefWritten(ref=ref, commit=commit, why="discarded"))
        return f"{ref.removeprefix('refs/heads/')} is gone from the repository; the task keeps its work"


def _held(app: App, task_id: str) -> AbstractContextManager[OpenTask]:
    """The task, while nobody else runs it."""
    return open_task(app.store, task_id, who=f"{app.program} of {app.who}")


async def _opened(app: App, task_id: str) -> tuple[State, Workspace]:
    state = app.store.peek(task_id).state
    if not state.branch:
        raise Mistake(f"task {task_id} has no workspace", do=f"Look what it made: thoughtforge inspect {task_id}")
    return state, await Workspace.open(app.store.local(task_id), path=app.search_path)


def _delivered(state: State) -> str:
    task = state.the_task()
    commit = state.refs.get(delivery_ref(task.id))
    if commit is None:
        raise Mistake(
            f"task {task.id} has delivered nothing to take",
            do=f"See where it stands: thoughtforge status {task.id}; its change so far: thoughtforge diff {task.id}",
        )
    return commit
