"""Run a task until it rests: take the lease, fold the log, go on, say why it stopped."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from thoughtforge.agent.means import Means, Outside, Permission
from thoughtforge.calls.events import CapsChanged
from thoughtforge.intake.documents import allow
from thoughtforge.intake.phases import phase
from thoughtforge.intake.pipelines import with_exit
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import LeaseLost, Mistake, Stop
from thoughtforge.kernel.loop import Journal, run_task
from thoughtforge.kernel.model import Caps, JsonObject
from thoughtforge.kernel.route import Rest
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason, reason_named
from thoughtforge.service.agents import ALL, binder
from thoughtforge.service.app import App
from thoughtforge.service.code_stages import builds
from thoughtforge.service.handover import hand_over
from thoughtforge.service.kit import TaskKit
from thoughtforge.service.library import Library, open_library
from thoughtforge.service.messages import absorb
from thoughtforge.service.open_task import open_task
from thoughtforge.service.own_repository import follow_project, own_repository
from thoughtforge.service.ready import check_roles
from thoughtforge.store.live import Live
from thoughtforge.store.operations_log import OperationsLog
from thoughtforge.store.port import OpenTask
from thoughtforge.views import THINK
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.linking import KEPT
from thoughtforge.workspaces.project import Project

if TYPE_CHECKING:
    from thoughtforge.gate.verdict import Verdict
    from thoughtforge.suites.result import Report
    from thoughtforge.workshop.workshop import Workshop

Listener = Callable[[e.Record, State], None]
Ask = Callable[[str, JsonObject], Awaitable[Permission]]


class Wishes(NamedTuple):
    """What the person changes when a task goes on."""

    caps: dict[str, float] = {}
    provider: str | None = None
    extend_to: str | None = None
    accept_loss: bool = False


NO_WISHES = Wishes()


class Ended(NamedTuple):
    """Where a run came to rest."""

    rest: Rest
    state: State


async def run(
    app: App, task_id: str, *, listener: Listener, ask: Ask | None = None, wishes: Wishes = NO_WISHES
) -> Ended:
    """Advance the task. Everything that ends it is on record before this returns, unless the disk itself fails."""
    app.require_trust()
    who = f"{app.program} of {app.who}"
    if wishes.accept_loss:
        app.store.accept_loss(task_id, who=who, by=app.who)
    with (
        open_task(app.store, task_id, who=who) as task,
        closing(OperationsLog(task.local, app.masker, phase=_phase)) as operations,
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


def _phase(state: State) -> str:
    """Where a task is, for the log of operations: a thought in the words of its phases, any other by its stage."""
    if state.the_task().goal != THINK:
        return ""
    at = phase(state)
    return at.halted_in or at.name


def _check_known(state: State) -> None:
    if state.unknown:
        raise Mistake(
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
    wishes: Wishes,
) -> Ended:
    journal = opened.journal
    await follow_project(app, journal, user)
    task = journal.state.the_task()
    journal.listeners = (*listeners, lambda record: opened.views.maybe(journal.state))
    if task.goal == THINK:
        commits = [task.base_commit, *(stage.commit for stage in journal.state.stages.values() if stage.commit)]
        await Project(user.repository.root, path=app.search_path).check_whole(commits)
    async with open_library(app, commit=task.base_commit, git=user, kept=opened.local / KEPT) as library:
        if journal.state.stop is StopReason.aborted:
            raise Mistake(f"task {task.id} was aborted", do="Start a new one; what it made is kept.")
        if wishes.provider:
            exit_stage = task.pipeline.exit.stage
            check_roles(app, task.pipeline, exit_stage=exit_stage, agents={ALL: wishes.provider})
        _apply(journal, library, wishes, app.who)
        journal.append(e.RunnerStarted(pid=os.getpid(), host=socket.gethostname(), program=app.program))
        async with (
            _recorded(journal) as outcome,
            _workshop(app, opened, library) as workshop,
        ):
            means = means_of(app, opened, library=library, ask=ask)
            kit = TaskKit(replace(means, workshop=workshop))
            outcome.rest = await run_task(journal, kit)
            await kit.settle()
        await hand_over(app, opened, user=library.git)
    if app.loaded.config.notifications.channels:
        from thoughtforge.service.notify import tell_of_rest

        await tell_of_rest(app, opened)
    opened.views.write(journal.state)
    return Ended(outcome.rest, journal.state)


def _workshop(app: App, opened: OpenTask, library: Library) -> AbstractAsyncContextManager[Workshop | None]:
    """What stages that write code work with; a task without one does not even load it."""
    if not builds(opened.journal.state.the_task()):
        return nullcontext()
    from thoughtforge.service.workshop import open_workshop

    return open_workshop(app, opened, library=library)


class _Outcome:
    """Filled by whoever ends the run."""

    rest = Rest(StopReason.bug)


@asynccontextmanager
async def _recorded(journal: Journal) -> AsyncIterator[_Outcome]:
    """Whatever ends the work is put on record."""
    outcome = _Outcome()
    try:
        yield outcome
    except asyncio.CancelledError:
        outcome.rest = Rest(StopReason.interrupted)
    except Stop as stop:  # before the first stage began
        outcome.rest = Rest(reason_named(stop.reason), stop.detail)
    except Mistake as mistake:
        outcome.rest = Rest(StopReason.configuration, " ".join([mistake.what, *mistake.details, mistake.do]).strip())
    except LeaseLost:
        raise  # the record is somebody else's now
    except OSError as error:
        outcome.rest = Rest(StopReason.file_system_error, f"{error.strerror or error}: {error.filename or 'the log'}")
        _try_to_record(journal, outcome.rest)
        return
    except Exception as error:
        _try_to_record(journal, Rest(StopReason.bug, f"{type(error).__name__}: {error}"[:500]))
        raise
    journal.append(e.RunnerStopped(reason=outcome.rest.reason, detail=outcome.rest.detail))


def _try_to_record(journal: Journal, rest: Rest) -> None:
    """A full disk cannot take the event that says so; the log is whole all the same."""
    try:
        journal.append(e.RunnerStopped(reason=rest.reason, detail=rest.detail))
    except OSError:
        return


def _apply(journal: Journal, library: Library, wishes: Wishes, who: str) -> None:
    """Put on record what the person changed before the work goes on."""
    state = journal.state
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


def means_of(app: App, opened: OpenTask, *, library: Library, ask: Ask | None) -> Means:
    """What the drivers of a run work with."""
    config = app.loaded.config
    journal = opened.journal
    known = library.definitions
    task = journal.state.the_task()
    means = Means(
        journal=journal,
        blobs=opened.blobs,
        catalog=known.catalog,
        contracts=known.contracts,
        tools=known.tools,
        tree=library.tree,
        agent=binder(app, journal.state.the_task().providers, known.roles),
        masker=app.masker,
        absorb=lambda: absorb(opened.inbox, journal),
        live=Live(opened.local, app.masker).show,
        ask=ask,
        stopwatch=app.stopwatch,
        max_output=config.call_output_tokens,
        confidence=config.clarify.confidence,
        send_unmasked=config.secrets.send_unmasked,
        project_rules=library.project_rules,
        circles=config.circles,
        patience=config.rate_limit_seconds,
        project=Project(Path(task.repository), path=app.search_path) if task.goal == "think" else None,
        outside=Outside(config.resources, config.connectors, config.discovery, app.machine),
        notify=(lambda text: _notify(app, journal, text)) if config.notifications.channels else None,
        think=config.think,
        completeness=config.phase3_completeness,
        polish=config.polish,
        home=app.user_home,
    )
    # running anything is judged against the task itself, so these two know it
    return replace(
        means,
        test=lambda root, language: _test(app, root, language, means=means),
        check=lambda root: _check(app, root, means=means),
    )


async def _notify(app: App, journal: Journal, text: str) -> None:
    from thoughtforge.service.notify import tell_of_milestone

    await tell_of_milestone(app, journal, text)


async def _test(app: App, root: Path, language: str | None, *, means: Means) -> Report:
    from thoughtforge.service.code_tests import run_code_tests

    return await run_code_tests(app, root, language, allow=lambda what, to: allow(means, what, to, deliverable="code"))


async def _check(app: App, root: Path, *, means: Means) -> Verdict:
    from thoughtforge.service.check import check

    allow(means, "shell_exec", "the tools of the gate", deliverable="code")
    return (await check(replace(app, cwd=root), new_since=means.task.base_commit)).verdict
