"""The loop. Read this file first; everything else serves it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.fold import STATE
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Kit, Log, Made
from thoughtforge.kernel.projection import Projection, Snapshot, empty
from thoughtforge.kernel.route import Escalate, Finish, Judge, Pass, Present, Rest, Review, Skip, Step, Work, next_step
from thoughtforge.kernel.state import State
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
        """Put a fact on record; every projection follows at once."""
        record = self.log.append(event)
        self.snapshot = self.snapshot.after((record,))
        for listener in self.listeners:
            listener(record)
        return record

    def go_on(self) -> None:
        """Raise Stop when a person asked for an end since the last step."""
        if self.state.stop is not None:
            raise Stop(self.state.stop)


async def run_task(journal: Journal, kit: Kit) -> Rest:
    """Advance a task until it rests. Call it again after an answer, a repair or a crash."""
    while True:
        kit.absorb()
        step = next_step(journal.state)
        if isinstance(step, Rest):
            return step
        try:
            await take(step, journal, kit)
        except Stop as stop:
            return Rest(reason_named(stop.reason), stop.detail)


async def take(step: Step, journal: Journal, kit: Kit) -> None:
    """Carry out one step; each fact is logged as it becomes true."""
    match step:
        case Skip(stage, reason):
            journal.append(e.StageSkipped(stage=stage.name, reason=reason))
        case Work():
            await _work(step, journal, kit)
        case Judge(stage, artifact, to):
            verdict = await kit.judge(stage, artifact)
            journal.append(
                e.GateDecided(stage=stage.name, round=_round(journal, stage), to=to, artifact=artifact, verdict=verdict)
            )
        case Review():
            await _review(step, journal, kit)
        case Present(stage, artifact, iteration):
            journal.append(e.IterationPresented(stage=stage.name, iteration=iteration, artifact=artifact))
        case Escalate(stage, reason):
            journal.append(e.EscalationRaised(escalation=kit.escalation(stage, reason)))
        case Pass(stage, artifact):
            mine = journal.state.stage(stage.name)
            left = mine.blocking() if mine.overridden else ()
            journal.append(
                e.StagePassed(stage=stage.name, artifact=artifact, accepted_by_person=bool(left), open_issues=left)
            )
        case Finish(stage, artifact, exit_type):
            what = stage.output_contract
            journal.append(e.PipelineExited(stage=stage.name, exit_type=exit_type, deliverable=what, artifact=artifact))


def _round(journal: Journal, stage: Stage) -> int:
    return journal.state.stage(stage.name).round


async def _work(step: Work, journal: Journal, kit: Kit) -> None:
    stage = step.stage
    if not kit.has_driver(stage.driver):
        raise Stop(StopReason.stage_unavailable, f"stage {stage.name} needs the driver {stage.driver!r}")
    if step.begin:
        iterating = any(f.kind == "person" for f in journal.state.stage(stage.name).feedback)
        journal.append(e.StageStarted(stage=stage.name, round=step.round, role=stage.role, inputs=step.inputs))
        if iterating:
            again = journal.state.stage(stage.name).iteration + 1
            journal.append(e.IterationStarted(stage=stage.name, iteration=again))
    outcome = await kit.work(stage)
    if not isinstance(outcome, Made):
        journal.append(e.EscalationRaised(escalation=outcome.escalation))
        return
    made, contract = outcome.artifact, stage.output_contract
    journal.append(
        e.ArtifactMade(stage=stage.name, round=step.round, contract=contract, artifact=made, answers=outcome.answers)
    )


async def _review(step: Review, journal: Journal, kit: Kit) -> None:
    reviewed = await kit.review(step.stage, step.reviewer, step.artifact)
    journal.append(
        e.ReviewGiven(
            stage=step.stage.name,
            round=_round(journal, step.stage),
            iteration=step.iteration,
            reviewer=step.reviewer,
            mode=step.stage.review_mode,
            artifact=step.artifact,
            review=reviewed.review,
            blocking=reviewed.blocking,
            advisory=reviewed.advisory,
        )
    )
