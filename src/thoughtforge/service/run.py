"""Run a task: take the lease, work until it stops, and put on record why."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Literal, NamedTuple

from thoughtforge.agent.run import Ask, Permission
from thoughtforge.agent.stage_runner import StageRunner
from thoughtforge.agent.tokens import one_line
from thoughtforge.calls.events import CallEnded, CallStarted, CapsChanged
from thoughtforge.definitions.drivers import is_thought
from thoughtforge.definitions.pipelines import with_exit
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import LeaseLost, LogCorrupt, Stop, UserError
from thoughtforge.kernel.events import TaskCreated
from thoughtforge.kernel.loop import Journal, run_task
from thoughtforge.kernel.model import Caps, JsonObject, Pauses, Task
from thoughtforge.kernel.route import Stopped
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason, reason_named
from thoughtforge.people.events import REOPEN, ActionAsked
from thoughtforge.sandbox.process import detach
from thoughtforge.service.agents import ALL, by_hand, check_roles, waiting
from thoughtforge.service.app import App
from thoughtforge.service.handover import hand_over
from thoughtforge.service.library import Library, open_library
from thoughtforge.service.messages import absorb
from thoughtforge.service.open_task import follow_project, open_task, own_repository
from thoughtforge.service.progress import OperationsLog
from thoughtforge.settings import environment
from thoughtforge.store.port import OpenTask, Reader
from thoughtforge.views.phases import phase
from thoughtforge.workspaces.events import EditPlanned
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.project import Project

SHOWN = 300
WITHIN_A_STEP = (CallStarted, CallEnded, EditPlanned, e.Measured)
"""Facts of a step before the action that ends it."""


class PermissionChoice(NamedTuple):
    """What a person chose, and why when they denied it."""

    word: Literal["allow", "deny", "stop"]
    why: str = ""


def pauses(*, supervised: bool, stages: tuple[str, ...], iterate: bool, actions: bool) -> Pauses:
    """Where a task stops to ask the person who starts it."""
    return Pauses(supervised=supervised, stages=stages, iterate=iterate, actions=actions)


def asker(choose: Callable[[str], PermissionChoice]) -> Ask:
    """What asks a person; `choose` shows them the action and returns their choice."""

    async def ask(tool: str, params: JsonObject) -> Permission:
        shown = one_line(", ".join(f"{key}={value}" for key, value in params.items()), SHOWN)
        choice = choose(f"{tool}({shown})")
        if choice.word == "stop":
            raise Stop(StopReason.paused)
        return Permission(choice.word == "allow", choice.why)

    return ask


def wants_to_be_asked(app: App, task_id: str) -> bool:
    """Whether the task was started so; of a damaged record its first event is enough, the run reports the damage."""
    reader = app.store.peek(task_id)
    try:
        task = reader.state.task
    except LogCorrupt:
        task = _first_task(reader)
    return task is not None and task.pauses.actions


def _first_task(reader: Reader) -> Task | None:
    try:
        first = next(reader.read(), None)
    except LogCorrupt:
        return None
    return first.event.task if first is not None and isinstance(first.event, TaskCreated) else None


Listener = Callable[[e.Record, State], None]


class ResumeOptions(NamedTuple):
    """What the person changes when a task goes on."""

    caps: dict[str, float] = {}
    provider: str | None = None
    extend_to: str | None = None
    accept_loss: bool = False
    by_hand: bool = False
    """A person answers the next call of a model."""
    reopen: bool = False
    """The thought is done: fix what is open and review once more."""


NO_OPTIONS = ResumeOptions()


class RunResult(NamedTuple):
    """Where a run came to rest."""

    rest: Stopped
    state: State


async def run(
    app: App, task_id: str, *, listener: Listener, ask: Ask | None = None, wishes: ResumeOptions = NO_OPTIONS
) -> RunResult:
    """Advance the task. Everything that ends it is on record before this returns, unless the disk itself fails."""
    app.require_trust()
    who = f"{app.program} of {app.who}"
    if wishes.accept_loss:
        app.store.accept_loss(task_id, who=who, by=app.who)
    with (
        open_task(app.store, task_id, who=who) as task,
        closing(OperationsLog(task.local, app.masker, phase=_phase(task.journal.state))) as operations,
    ):
        journal = task.journal
        _check_known(journal.state)
        user = await own_repository(app, journal.state.the_task(), command="continue")
        absorb(task.inbox, journal)  # a pause that was asked of a run before this one does not stop it
        listeners = (
            lambda record: listener(record, journal.state),
            lambda record: operations(record, journal.state),
        )
        return await _run(app, task, user=user, listeners=listeners, ask=ask, wishes=wishes)


def _phase(state: State) -> Callable[[State], str] | None:
    """What names where a task is, for the log of operations: the phase of a thought; any other is at its stage."""
    if state.task is None or not is_thought(state.task):
        return None
    return lambda now: phase(now).halted_in or phase(now).name


def _check_known(state: State) -> None:
    if state.unknown:
        raise UserError(
            f"the log has events this version does not know: {', '.join(sorted(set(state.unknown)))}",
            do="Use the newer version that wrote it; this one can show and verify the task.",
        )


async def _run(
    app: App,
    opened: OpenTask,
    *,
    user: Git,
    listeners: tuple[Callable[[e.Record], None], ...],
    ask: Ask | None,
    wishes: ResumeOptions,
) -> RunResult:
    journal = opened.journal
    await follow_project(app, journal, user)
    task = journal.state.the_task()
    journal.listen(*listeners, lambda record: _show(record, opened))
    if is_thought(task):
        commits = [task.base_commit, *(stage.commit for stage in journal.state.stages.values() if stage.commit)]
        await Project(user.repository.root, path=app.search_path).check_whole(commits)
    async with open_library(app, commit=task.base_commit, git=user, kept=opened.local / KEPT) as library:
        if journal.state.stop is StopReason.aborted:
            raise UserError(f"task {task.id} was aborted", do="Start a new one; what it made is kept.")
        if wishes.provider:
            exit_stage = task.pipeline.exit.stage
            check_roles(app, task.pipeline, exit_stage=exit_stage, agents={ALL: wishes.provider})
        hand = by_hand(app) if wishes.by_hand else None
        _apply(journal, library, wishes, app.who)
        journal.append(e.RunnerStarted(pid=os.getpid(), host=socket.gethostname(), program=app.program))
        async with (
            _recorded(journal) as outcome,
            app.open_run(app, opened, library=library, ask=ask) as made,
        ):
            if hand is not None:
                made.by_hand.who = hand
                text = f"the next call is answered by hand; {waiting([hand])[0]}"
                journal.append(e.WarningGiven(text=text, code="by_hand"))
            outcome.rest = await run_task(journal, StageRunner(made))
        await hand_over(app, opened, user=library.git)
    if app.loaded.config.notifications.channels:
        from thoughtforge.service.notify import tell_of_rest

        await tell_of_rest(app, opened)
    opened.views.write(journal.state)
    return RunResult(outcome.rest, journal.state)


def _show(record: e.Record, opened: OpenTask) -> None:
    """Let the views follow between two steps: what a step has on record before its action says too little by itself."""
    if not isinstance(record.event, WITHIN_A_STEP):
        opened.views.maybe(opened.journal.state)


class _Outcome:
    """Filled by whoever ends the run."""

    rest = Stopped(StopReason.bug)


@asynccontextmanager
async def _recorded(journal: Journal) -> AsyncIterator[_Outcome]:
    """Whatever ends the work is put on record."""
    outcome = _Outcome()
    try:
        yield outcome
    except asyncio.CancelledError:
        outcome.rest = Stopped(StopReason.interrupted)
    except Stop as stop:  # before the first stage began
        outcome.rest = Stopped(reason_named(stop.reason), stop.detail)
    except UserError as mistake:
        outcome.rest = Stopped(StopReason.configuration, _sentences(mistake.what, *mistake.details, mistake.do))
    except LeaseLost:
        raise  # the record is somebody else's now
    except OSError as error:
        outcome.rest = Stopped(
            StopReason.file_system_error, f"{error.strerror or error}: {error.filename or 'the log'}"
        )
        _try_to_record(journal, outcome.rest)
        return
    except Exception as error:
        _try_to_record(journal, Stopped(StopReason.bug, f"{type(error).__name__}: {error}"[:500]))
        raise
    journal.append(e.RunnerStopped(reason=outcome.rest.reason, detail=outcome.rest.detail))


def _sentences(*parts: str) -> str:
    """Parts one after the other, each with an end."""
    told = [part.strip() for part in parts if part.strip()]
    return " ".join(part if part.endswith((".", "!", "?", ":")) else f"{part}." for part in told)


def _try_to_record(journal: Journal, rest: Stopped) -> None:
    """A full disk cannot take the event that says so; the log is whole all the same."""
    try:
        journal.append(e.RunnerStopped(reason=rest.reason, detail=rest.detail))
    except OSError:
        return


def _apply(journal: Journal, library: Library, wishes: ResumeOptions, who: str) -> None:
    """Put on record what the person changed before the work goes on."""
    state = journal.state
    if wishes.reopen and state.exited:
        journal.append(ActionAsked(action=REOPEN, by=who))
    if wishes.caps:
        journal.append(CapsChanged(caps=Caps.model_validate({**state.caps.model_dump(), **wishes.caps})))
    if wishes.provider:
        task = state.the_task()
        task = task.model_copy(update={"providers": {ALL: wishes.provider}, "exit_stage": task.pipeline.exit.stage})
        journal.append(e.TaskExtended(task=task))
    if wishes.extend_to:
        task = state.the_task()
        follow = task.pipeline.continuation
        names = [stage.name for stage in task.pipeline.stages]
        name = task.pipeline.name if wishes.extend_to in names or follow is None else follow.next_pipeline
        pipeline = library.definitions.pipelines[name].pipeline
        exit_stage = with_exit(pipeline, wishes.extend_to)
        if state.awaiting:
            stage, iteration = state.awaiting
            journal.append(
                e.DecisionMade(stage=stage, iteration=iteration, decision="extend", extend_to=exit_stage, by=who)
            )
        extended = task.model_copy(update={"pipeline": pipeline, "exit_stage": exit_stage, "goal": pipeline.goal_type})
        journal.append(e.TaskExtended(task=extended))
    changed = {k for k, v in library.definitions.sources().items() if state.the_task().sources.get(k, v) != v}
    if changed:
        text = f"changed since the task began: {', '.join(sorted(changed))}"
        journal.append(e.WarningGiven(text=text, code="sources_changed"))


PATIENCE = 10.0


class Background(NamedTuple):
    """The process that runs a task, and where it writes its progress."""

    task: str
    pid: int
    log: str


def run_in_background(app: App, task_id: str) -> Background:
    """Start a process that continues the task; return once it holds the task or is gone."""
    log = app.store.local(task_id) / "run.log"
    # -P keeps a module in the repository from standing in for one of ours
    argv = [sys.executable, "-P", "-m", "thoughtforge", "continue", task_id]
    pid = detach(argv, cwd=Path(app.cwd), env=environment.for_detached(app.secret_names), log=log)
    deadline = app.stopwatch() + PATIENCE
    task = app.store.peek(task_id)
    while task.holder() is None and os.waitpid(pid, os.WNOHANG) == (0, 0) and app.stopwatch() < deadline:
        time.sleep(0.02)
    return Background(task_id, pid, str(log))
