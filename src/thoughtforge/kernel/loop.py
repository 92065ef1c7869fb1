"""The loop. Read this file first; everything else serves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from thoughtforge.kernel import events as e
from thoughtforge.kernel import route
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.fold import STATE
from thoughtforge.kernel.ports import Log, Produced, StagePort
from thoughtforge.kernel.state import Projection, Snapshot, State, empty
from thoughtforge.kernel.stops import StopReason, reason_named

T = TypeVar("T")


class Journal:
    """The log with what it adds up to: the whole log is folded once, then only what is new."""

    def __init__(self, log: Log, *listeners: Callable[[e.Record], None], snapshot: Snapshot | None = None) -> None:
        self.log = log
        self.listeners = listeners
        self.snapshot = empty().after(log.read()) if snapshot is None else snapshot

    @property
    def state(self) -> State:
        """The state of the task."""
        return self.snapshot.of(STATE)

    def of(self, projection: Projection[T]) -> T:
        """What the log adds up to in one projection."""
        return self.snapshot.of(projection)

    def append(self, event: e.Event) -> e.Record:
        """Record a fact; every projection follows at once."""
        record = self.log.append(event)
        self.snapshot = self.snapshot.after((record,))
        for listener in self.listeners:
            listener(record)
        return record

    def listen(self, *listeners: Callable[[e.Record], None]) -> None:
        """Tell these of every fact from now on."""
        self.listeners = (*self.listeners, *listeners)

    def raise_if_stopped(self) -> None:
        """Raise Stop when a person asked for an end since the last step."""
        if self.state.stop is not None:
            raise Stop(self.state.stop)


async def run_task(journal: Journal, stages: StagePort) -> route.Stopped:
    """Advance a task until it stops. Call it again after an answer, a repair or a crash."""
    try:
        for stage in journal.state.the_task().pipeline.stages:
            if journal.state.stage(stage.name).status == "passed":
                await stages.passed(stage)  # a crash may have come between a stage's end and what follows from it
        while True:
            stages.drain_inbox()
            step = route.next_step(journal.state)
            if isinstance(step, route.Stopped):
                return step
            await take(step, journal, stages)
    except Stop as stop:
        return route.Stopped(reason_named(stop.reason), stop.detail)


async def take(step: route.Step, journal: Journal, stages: StagePort) -> None:
    """Carry out one step; each fact is logged as it becomes true."""
    match step:
        case route.Skip(stage, reason):
            journal.append(e.StageSkipped(stage=stage.name, reason=reason))
        case route.Work():
            await _work(step, journal, stages)
        case route.Judge(stage, artifact, to):
            round, verdict = journal.state.stage(stage.name).round, await stages.judge(stage, artifact)
            journal.append(e.GateDecided(stage=stage.name, round=round, to=to, artifact=artifact, verdict=verdict))
        case route.Review():
            await _review(step, journal, stages)
        case route.Present(stage, artifact, iteration):
            journal.append(e.IterationPresented(stage=stage.name, iteration=iteration, artifact=artifact))
        case route.Escalate(stage, reason):
            journal.append(e.EscalationRaised(escalation=stages.escalation(stage, reason)))
        case route.Pass(stage, artifact):
            mine = journal.state.stage(stage.name)
            left = mine.blocking() if mine.overridden else ()
            journal.append(
                e.StagePassed(stage=stage.name, artifact=artifact, accepted_by_person=bool(left), open_issues=left)
            )
            await stages.passed(stage)
        case route.Finish(stage, artifact, exit_type):
            what = stage.output_contract
            journal.append(e.PipelineExited(stage=stage.name, exit_type=exit_type, deliverable=what, artifact=artifact))


async def _work(step: route.Work, journal: Journal, stages: StagePort) -> None:
    stage = step.stage
    if not stages.has_driver(stage.driver):
        raise Stop(StopReason.stage_unavailable, f"stage {stage.name} needs the driver {stage.driver!r}")
    if step.begin:
        iterating = any(f.kind == "person" for f in journal.state.stage(stage.name).feedback)
        journal.append(e.StageStarted(stage=stage.name, round=step.round, role=stage.role, inputs=step.inputs))
        if iterating:
            again = journal.state.stage(stage.name).iteration + 1
            journal.append(e.IterationStarted(stage=stage.name, iteration=again))
    outcome = await stages.work(stage)
    if not isinstance(outcome, Produced):
        journal.append(e.EscalationRaised(escalation=outcome.escalation))
        return
    made, contract = outcome.artifact, stage.output_contract
    journal.append(
        e.ArtifactMade(stage=stage.name, round=step.round, contract=contract, artifact=made, answers=outcome.answers)
    )


async def _review(step: route.Review, journal: Journal, stages: StagePort) -> None:
    reviewed = await stages.review(step.stage, step.reviewer, step.artifact)
    journal.append(
        e.ReviewGiven(
            stage=step.stage.name,
            round=journal.state.stage(step.stage.name).round,
            iteration=step.iteration,
            reviewer=step.reviewer,
            mode=step.stage.review_mode,
            artifact=step.artifact,
            review=reviewed.review,
            blocking=reviewed.blocking,
            advisory=reviewed.advisory,
        )
    )
