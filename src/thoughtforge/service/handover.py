"""What gets into the person's repository when a run ends: one ref with the result, or with what there is of it."""

from __future__ import annotations

import asyncio
import json
from typing import NamedTuple

from thoughtforge.audit.delivery import as_markdown
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task
from thoughtforge.service.own_repository import find_own
from thoughtforge.service.recorded_workspace import recorded_workspace
from thoughtforge.store.port import OpenTask
from thoughtforge.workspaces import handover
from thoughtforge.workspaces.clone import GIT_DIR, Workspace
from thoughtforge.workspaces.events import RefWritten
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.person import NOBODY

REPORT = "report.md"
AT_REST = (StopReason.question, StopReason.approval, StopReason.paused, StopReason.interrupted)
"""The task will go on in its own workspace; nothing is torn down and nothing needs saving."""


async def hand_over(app: App, task: OpenTask, *, user: Git) -> None:
    """Deliver what is done; save what was ended."""
    journal = task.journal
    state = journal.state
    reason = state.reason()
    if not state.branch or reason is None or reason in AT_REST:
        return
    try:
        workspace = await recorded_workspace(task, user=user, files=False)
    except Mistake as mistake:
        if reason is StopReason.done:
            raise
        why = ": ".join((mistake.what, *mistake.details))
        journal.append(WarningGiven(text=f"nothing was saved: {why}", code="nothing_saved"))
        return
    if reason is StopReason.done:
        _report(app, task)
        await _write(
            journal, user, workspace, handover.delivery_ref(state.the_task().id), await workspace.tip(), "delivered"
        )
    else:
        await salvage(journal, user, workspace)


class Saved(NamedTuple):
    """What a task that was ended left in the person's repository."""

    refs: dict[str, str]
    note: str = ""
    """Why nothing was written there, when nothing was."""


async def save(app: App, task_id: str) -> Saved:
    """Hand over what a task has when it was ended while nobody ran it; nothing leaves for a repository elsewhere."""
    with open_task(app.store, task_id, who=app.who) as opened:
        task = opened.journal.state.the_task()
        user = await find_own(app, task)
        if user is None:
            return Saved({}, f"its files stay in its workspace; you are not in its repository, {task.repository}")
        await hand_over(app, opened, user=user)
        opened.views.write(opened.journal.state)
        return Saved(dict(opened.journal.state.refs))


def _report(app: App, task: OpenTask) -> None:
    """The delivery report for people, beside the artifact for programs."""
    exited = task.journal.state.exited
    if exited is None or exited.deliverable != "delivery_report":
        return
    text = as_markdown(json.loads(task.blobs.get(exited.artifact)), task.journal.state)
    (task.local / REPORT).write_text(app.masker.text(text), encoding="utf-8")


def keep_work(app: App, opened: OpenTask) -> str:
    """Before a task's folder goes: what it changed and nobody has yet is saved in the person's repository.

    Answers why the folder must stay, when that is not possible.
    """
    if not any((opened.local / name).is_dir() for name in (GIT_DIR, KEPT)):
        return ""
    return asyncio.run(_keep(app, opened))


async def _keep(app: App, opened: OpenTask) -> str:
    state = opened.journal.state
    task = state.the_task()
    if not state.branch or handover.delivery_ref(task.id) in state.refs:
        return ""
    user = await find_own(app, task)
    if user is None:
        here = (opened.local / GIT_DIR).is_dir()
        if here and not await _unsaved(state, await Workspace.open(opened.local, path=app.search_path)):
            return ""
        return f"its work is saved nowhere else and you are not in its repository, {task.repository}"
    try:
        workspace = await recorded_workspace(opened, user=user, files=False)
    except Mistake:
        return ""  # neither the folder nor its record has anything to save
    await salvage(opened.journal, user, workspace)
    return ""


async def _unsaved(state: State, workspace: Workspace) -> str:
    """The tree of the files when they hold changes that no ref has; empty when they do not."""
    task = state.the_task()
    tree = await workspace.tree()
    earlier = state.refs.get(handover.salvage_ref(task.id))
    known = [task.base_commit, *([earlier] if earlier else [])]
    return tree if all([await workspace.changes(commit, tree) for commit in known]) else ""


async def salvage(journal: Journal, user: Git, workspace: Workspace) -> None:
    """Keep the files as they are under a ref of their own; nothing when nothing was changed."""
    state = journal.state
    task = state.the_task()
    tree = await _unsaved(state, workspace)
    if not tree:
        return
    ref = handover.salvage_ref(task.id)
    earlier = state.refs.get(ref)
    commit = await workspace.commit(
        tree,
        message=f"chore: work in progress of {task.id}\n\nThoughtForge-Task: {task.id}",
        parents=tuple(dict.fromkeys([await workspace.tip(), *([earlier] if earlier else [])])),
        author=NOBODY,
        when=state.time,
        move=False,
    )
    await _write(journal, user, workspace, ref, commit, "salvaged")


async def _write(journal: Journal, user: Git, workspace: Workspace, ref: str, commit: str, why: str) -> None:
    if journal.state.refs.get(ref) == commit:
        return
    journal.log.check_lease()
    await handover.hand_over(user, workspace, commit=commit, ref=ref)
    journal.append(RefWritten.model_validate({"ref": ref, "commit": commit, "why": why}))
