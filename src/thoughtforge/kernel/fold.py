"""fold: state plus events gives state. Pure; the fold of a prefix and then of the rest is the fold of the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Feedback
from thoughtforge.kernel.state import NOTHING, HumanAnswer, Projection, State, register
from thoughtforge.kernel.stops import STOPS, StopReason

EMPTY = State()
KEPT_WARNINGS = 20
AGAIN: Mapping[str, Any] = MappingProxyType({"rework": True, "presented": False, "repairs": 0, "review_iteration": 0})
"""A person has looked: repairs and reviews are counted afresh."""
T = TypeVar("T")


def fold(state: State, records: Iterable[e.Record]) -> State:
    """The state after these records."""
    for record in records:
        state = fold_one(state, record)
    return state


def fold_one(state: State, record: e.Record) -> State:
    """The state after one more record."""
    event = record.event
    state = _clock(state, record)
    if isinstance(event, e.Unknown):
        return replace(state, unknown=(*state.unknown, f"{event.type} v{event.version}"))
    if event.message:
        state = replace(state, messages=state.messages | {event.message})
    change = CHANGES.get(type(event))
    return change(state, event) if change else state


def _clock(state: State, record: e.Record) -> State:
    """Wall time runs only while a runner is at work; what people send does not move it."""
    event = record.event
    state = replace(state, seq=record.seq, time=record.time)
    if isinstance(event, e.RunnerStarted):
        return replace(state, worked_until=record.time)
    if not state.active or (isinstance(event, e.Event) and (event.message or event.at_rest)):
        return state
    passed = (datetime.fromisoformat(record.time) - datetime.fromisoformat(state.worked_until)).total_seconds()
    used = replace(state.used, wall_seconds=state.used.wall_seconds + max(0.0, passed))
    return replace(state, used=used, worked_until=record.time)


def plus(mapping: Mapping[str, T], key: str, value: T) -> Mapping[str, T]:
    """The mapping with one more item."""
    return MappingProxyType({**mapping, key: value})


def without(mapping: Mapping[str, T], key: str) -> Mapping[str, T]:
    """The mapping without an item."""
    return MappingProxyType({k: v for k, v in mapping.items() if k != key})


def with_stage(state: State, name: str, **changes: Any) -> State:
    """The state with one stage changed."""
    return replace(state, stages=plus(state.stages, name, replace(state.stage(name), **changes)))


def _runner_started(state: State, event: e.RunnerStarted) -> State:
    kept = state.stop if state.stop is StopReason.aborted else None
    for name, stage in state.stages.items():
        if stage.verdict and stage.verdict.outcome == "broken":  # a person has looked: the gate tries again
            state = with_stage(state, name, verdict=None)
        if state.stop and STOPS[state.stop].asks_again:
            state = with_stage(state, name, replies=NOTHING)
    return replace(state, active=True, stop=kept, stop_detail="")


def _runner_stopped(state: State, event: e.RunnerStopped) -> State:
    state = replace(state, active=False, stop_detail=event.detail)
    reason = event.reason
    lasting = reason not in (StopReason.done, StopReason.question, StopReason.approval)
    return replace(state, stop=reason) if lasting and state.stop is None else state


def _stage_started(state: State, event: e.StageStarted) -> State:
    before = state.stage(event.stage)
    fresh = before.inputs != event.inputs
    return with_stage(
        state,
        event.stage,
        status="working",
        round=event.round,
        inputs=event.inputs,
        verdict=None,
        repairs=0 if fresh else before.repairs,
        reviews=(),
        review_iteration=0 if fresh else before.review_iteration,
        presented=False,
        approved=False,
        overridden=False,
        rework=False,
        draft=None,
        replies=NOTHING,
        steps=0,
        measured=NOTHING if fresh else before.measured,
        commit="" if fresh else before.commit,
        started_at=before.started_at or state.time,
        ended_at="",
        skipped="",
    )


def _measured(state: State, event: e.Measured) -> State:
    if not event.stage:
        return replace(state, measured=plus(state.measured, event.what, event))
    return with_stage(state, event.stage, measured=plus(state.stage(event.stage).measured, event.what, event))


def _artifact_made(state: State, event: e.ArtifactMade) -> State:
    versions = (*state.stage(event.stage).versions, event.artifact)
    return with_stage(
        state,
        event.stage,
        status="made",
        artifact=event.artifact,
        versions=versions,
        verdict=None,
        reviews=(),
        replies=NOTHING,
    )


def _gate_decided(state: State, event: e.GateDecided) -> State:
    stage = state.stage(event.stage)
    if event.verdict.outcome != "fail":
        return with_stage(state, event.stage, verdict=event.verdict, repairs=0, feedback=())
    items = tuple(f"{p.where}: {p.what}" if p.where else p.what for p in event.verdict.problems)
    kept = tuple(f for f in stage.feedback if f.kind != "contract")
    feedback = (*kept, Feedback(kind="contract", iteration=stage.repairs + 1, items=items))
    return with_stage(state, event.stage, verdict=event.verdict, repairs=stage.repairs + 1, feedback=feedback)


def _review_given(state: State, event: e.ReviewGiven) -> State:
    stage = state.stage(event.stage)
    feedback = stage.feedback
    if event.blocking and event.mode == "blocking":
        items = tuple(f"{i.id} ({i.severity}) {i.location}: {i.description} → {i.remediation}" for i in event.blocking)
        ids = tuple(issue.id for issue in event.blocking)
        feedback = (*feedback, Feedback(kind="review", iteration=event.iteration, items=items, ids=ids))
    advisory = (f"{i.id} ({i.severity}) {i.description}" for i in event.advisory)
    return with_stage(
        state,
        event.stage,
        reviews=(*stage.reviews, event),
        review_iteration=event.iteration,
        feedback=feedback,
        advisory=tuple(dict.fromkeys((*stage.advisory, *advisory))),
        replies=NOTHING,
    )


def _escalation_resolved(state: State, event: e.EscalationResolved) -> State:
    escalation = state.escalations.get(event.id)
    if escalation is None:
        return state
    state = replace(state, escalations=without(state.escalations, event.id))
    if event.choice == "abort":
        return replace(state, stop=StopReason.aborted)
    stage = state.stage(escalation.stage)
    given = {q: event.answers.get(q.id, event.answers.get("*", "")) for q in escalation.questions}
    items = tuple(question.text.partition("\n")[0] + f" → {text}" for question, text in given.items() if text)
    answers = {question.id: HumanAnswer(text, event.by, state.time) for question, text in given.items() if text}
    return with_stage(
        state,
        escalation.stage,
        repairs=0,
        review_iteration=0,
        steps=0,
        overridden=stage.overridden or event.choice == "accept",
        feedback=(*stage.feedback, Feedback(kind="answer", items=items)) if items else stage.feedback,
        answers=MappingProxyType({**stage.answers, **answers}),
    )


def _iteration_presented(state: State, event: e.IterationPresented) -> State:
    state = with_stage(state, event.stage, presented=True, iteration=event.iteration)
    return replace(state, awaiting=(event.stage, event.iteration))


def _decision_made(state: State, event: e.DecisionMade) -> State:
    state = replace(state, awaiting=None)
    feedback = (event.feedback,) if event.feedback else ()
    if event.decision == "revise":
        return with_stage(state, event.stage, feedback=feedback, **AGAIN)
    if event.decision == "reject":
        state = with_stage(state, event.stage, **AGAIN)
        return with_stage(state, _before(state, event.stage), approved=False, feedback=feedback, **AGAIN)
    state = with_stage(state, event.stage, approved=True)
    return replace(state, exit_now=event.stage) if event.decision == "exit" else state


def rework(state: State, stage: str) -> State:
    """A person sends a version back, also one they have not been shown yet."""
    return with_stage(replace(state, awaiting=None), stage, approved=False, **AGAIN)


def clear_stop(state: State) -> State:
    """What held the task no longer does."""
    return replace(state, stop=None, stop_detail="")


def _before(state: State, stage: str) -> str:
    """The nearest earlier stage that ran; the stage itself when it is the first."""
    names = [s.name for s in state.task.pipeline.stages] if state.task else []
    earlier = names[: names.index(stage)] if stage in names else []
    for name in reversed(earlier):
        if state.stage(name).status == "passed":
            return name
    return stage


CHANGES: dict[type[e.Event], Callable[[State, Any], State]] = {
    e.TaskCreated: lambda s, ev: replace(s, task=ev.task, caps=ev.task.caps),
    e.TaskExtended: lambda s, ev: replace(s, task=ev.task, exited=None, exit_now="", stop=None),
    e.ExternalImported: lambda s, ev: replace(s, externals=plus(s.externals, ev.contract, ev.artifact)),
    e.RunnerStarted: _runner_started,
    e.RunnerStopped: _runner_stopped,
    e.StageStarted: _stage_started,
    e.StageSkipped: lambda s, ev: with_stage(s, ev.stage, status="skipped", skipped=ev.reason, ended_at=s.time),
    e.StagePassed: lambda s, ev: with_stage(s, ev.stage, status="passed", ended_at=s.time, feedback=()),
    e.Measured: _measured,
    e.ArtifactMade: _artifact_made,
    e.GateDecided: _gate_decided,
    e.ReviewGiven: _review_given,
    e.EscalationRaised: lambda s, ev: replace(
        s, escalations=plus(s.escalations, ev.escalation.id, ev.escalation), raised=s.raised + 1
    ),
    e.EscalationResolved: _escalation_resolved,
    e.IterationPresented: _iteration_presented,
    e.DecisionMade: _decision_made,
    e.WarningGiven: lambda s, ev: replace(s, warnings=(*s.warnings, ev.text)[-KEPT_WARNINGS:]),
    e.PipelineExited: lambda s, ev: replace(s, exited=ev, exit_now=""),
}


def changes(table: Mapping[type[e.Event], Callable[[State, Any], State]]) -> None:
    """Let the events of a room change the state: pure functions, one for an event, made of those above."""
    for event, change in table.items():
        if CHANGES.setdefault(event, change) is not change:
            raise ValueError(f"{event.__name__} changes the state twice")


STATE = register(Projection("state", EMPTY, fold_one))
"""What routing, limits and views read."""
