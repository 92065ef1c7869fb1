"""A task opened for work or for reading, with its views, its workspace and the repository it belongs to."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.definitions.drivers import is_thought
from thoughtforge.kernel.errors import LogCorrupt, UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest, JsonObject, Task
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.polish.history import best_iteration
from thoughtforge.polish.log_text import log_text
from thoughtforge.polish.rounds import ROUNDS, Round, Rounds, iteration_of
from thoughtforge.polish.rounds import resolved as resolved_rounds
from thoughtforge.service.app import App
from thoughtforge.store.port import OpenTask, Store
from thoughtforge.think.conversation import CONVERSATION, Conversation, resolved
from thoughtforge.views.phases import halt_reason, phase
from thoughtforge.views.tasks import thought_status
from thoughtforge.views.values import ConversationView, MessageView, as_data
from thoughtforge.workspaces.events import TaskMoved
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.past import PAST
from thoughtforge.workspaces.project import lost
from thoughtforge.workspaces.rebuilding import as_recorded
from thoughtforge.workspaces.workspace import Workspace

CHATS = (
    ("brain_dump", "distilling", "human_review"),
    ("spec_building",),
    ("building", "polishing", "done", "halted"),
)
"""Phases that share a chat; the file shows the newest of the three, the log keeps all of them."""


def thought_views(journal: Journal, blobs: Blobs) -> Callable[[State], dict[str, str]] | None:
    """What to write for a thought; nothing for any other task."""
    if journal.state.task is None or not is_thought(journal.state.task):
        return None

    @cache
    def whole(digest: Digest) -> str:
        return blobs.get(digest).decode("utf-8", "replace")

    def files(state: State) -> dict[str, str]:
        known = resolved(journal.of(CONVERSATION), whole)
        found = {"status.json": _json(thought_status(state)), "chat_history.json": _json(chat(state, known).messages)}
        rounds = resolved_rounds(journal.of(ROUNDS), lambda digest: dict(json.loads(whole(digest))))
        if rounds.rounds:
            found |= {"polish_state.json": _json(polish_state(state, rounds)), "polish_log.md": log_text(rounds.log)}
        return found

    return files


def chat(state: State, known: Conversation) -> ConversationView:
    """The chat of the phase the thought is in."""
    here = phase(state).place
    phases = next((group for group in CHATS if here in group), CHATS[-1])
    said = conversation_view(known)
    return ConversationView(tuple(message for message in said.messages if message.phase in phases))


def conversation_view(known: Conversation) -> ConversationView:
    """Everything said so far, hints among it, oldest first."""
    messages = sorted((*known.messages, *known.hints), key=lambda message: message.seq)
    return ConversationView(tuple(MessageView(m.role, m.text, m.phase, m.time, m.excluded) for m in messages))


def polish_state(state: State, rounds: Rounds) -> JsonObject:
    """How the polishing stands: the newest counts, the way there, and the last review whole."""
    last = rounds.rounds[-1]
    return {
        "iteration": rounds.number,
        "error_counts": _counts(last),
        "convergence_trajectory": [
            {"iteration": one.review.iteration, **_counts(one), "timestamp": one.data["time"]} for one in rounds.rounds
        ],
        "tests_passed": last.data["tests_passed"],
        "timestamp": last.data["time"],
        "completed": state.stage("polish").status in ("made", "passed"),
        "halt_reason": halt_reason(state),
        "best_iteration": best_iteration(rounds.history()),
        "last_review": last.data,
    }


def _counts(one: Round) -> JsonObject:
    counts = iteration_of(one.data).counts
    return {**counts._asdict(), "total": counts.total}


def _json(data: Any) -> str:
    return json.dumps(as_data(data), indent=2, ensure_ascii=False) + "\n"


@contextmanager
def open_task(store: Store, task_id: str, *, who: str) -> Iterator[OpenTask]:
    """Hold the task. Half an event that a crash left is on record as such before anything else is."""
    with store.open(task_id, who=who) as task:
        if task.torn:
            text = f"an unfinished last event was set aside as {task.torn}"
            task.journal.append(WarningGiven(text=text, code="log_torn"))
        task.views.more = thought_views(task.journal, task.blobs)
        yield task


def readable(store: Store, task_id: str) -> State | None:
    """A task as a reader sees it; None when its record is damaged; opening that task reports it."""
    try:
        state = store.peek(task_id).state
    except LogCorrupt:
        return None
    return state if state.task is not None else None


async def recorded_workspace(task: OpenTask, *, user: Git, files: bool = True) -> Workspace:
    """Open it, rebuild it, or refuse with what the record lacks; without `files` only the clone is looked at."""
    branch = f"thoughtforge/{task.id}"
    past = task.journal.of(PAST)
    found = await as_recorded(user, past, branch=branch, at=task.local, blobs=task.blobs, files=files)
    if found.note:
        task.journal.append(WarningGiven(text=found.note, code="workspace_rebuilt"))
    return found.workspace


class Attached(NamedTuple):
    """Where the task's repository was and where it is now."""

    before: str
    repository: str


async def own_repository(app: App, task: Task, *, command: str) -> Git:
    """The task's repository when the person stands in it; else a UserError with both paths and the next command."""
    git = await find_own(app, task)
    if git is None:
        raise await _elsewhere(app, task, command)
    return git


async def find_own(app: App, task: Task) -> Git | None:
    """The task's repository as seen from where the person stands; None when they stand elsewhere."""
    if is_thought(task):
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
    """A thought's project is beside its record, so the task follows when the home moves."""
    task = journal.state.the_task()
    if is_thought(task) and Path(task.repository).resolve() != git.repository.root.resolve():
        journal.append(TaskMoved(before=task.repository, repository=str(git.repository.root), by=app.who))


async def _attach(app: App, journal: Journal) -> Attached:
    task = journal.state.the_task()
    if is_thought(task):
        raise UserError(
            f"{task.id} is a thought; its project is in {app.home.project(task.id)} and moves with it",
            do=f"Go on: thoughtforge continue {task.id}",
        )
    here = Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    root = str(here.repository.root)
    if await here.resolve(task.base_commit) is None:
        raise UserError(
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
    except UserError:
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


async def _elsewhere(app: App, task: Task, command: str) -> UserError:
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
    return UserError(
        f"task {task.id} belongs to the repository {task.repository}{gone}; you are in {where}. Nothing was changed",
        do=". ".join(do),
    )
