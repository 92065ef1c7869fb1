"""fold: state plus events gives state. Pure; the fold of a prefix and then of the rest is the fold of the whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Feedback, Usage
from thoughtforge.kernel.projection import Projection, register
from thoughtforge.kernel.state import NOTHING, Answer, State, Step
from thoughtforge.kernel.stops import StopReason

EMPTY = State()
NEWLINE = "\n"
KEPT_NOTES = 40
KEPT_HINTS = 5
KEPT_WARNINGS = 20
KEPT_TRAIL = 60
BEFORE_WORK = (e.RunnerStarted, e.CapsChanged, e.TaskExtended, e.TaskMoved, e.LossAccepted, e.WarningGiven)
"""What is written while no runner is at work, perhaps long after a crash."""
ASKED_AGAIN = (StopReason.check_broken, StopReason.provider_failed, StopReason.criteria_missing)
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
    from_person = isinstance(event, e.Event) and bool(event.message)
    if not state.active or from_person or isinstance(event, BEFORE_WORK):
        return state
    passed = (datetime.fromisoformat(record.time) - datetime.fromisoformat(state.worked_until)).total_seconds()
    used = replace(state.used, wall_seconds=state.used.wall_seconds + max(0.0, passed))
    return replace(state, used=used, worked_until=record.time)


def _with(mapping: Mapping[str, T], key: str, value: T) -> Mapping[str, T]:
    return MappingProxyType({**mapping, key: value})


def _without(mapping: Mapping[str, T], key: str) -> Mapping[str, T]:
    return MappingProxyType({k: v for k, v in mapping.items() if k != key})


def _unique(known: Iterable[str], more: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))


def _stage(state: State, name: str, **changes: Any) -> State:
    return replace(state, stages=_with(state.stages, name, replace(state.stage(name), **changes)))


def _runner_started(state: State, event: e.RunnerStarted) -> State:
    kept = state.stop if state.stop is StopReason.aborted else None
    for name, stage in state.stages.items():
        if stage.verdict and stage.verdict.outcome == "broken":  # a person has looked: the gate tries again
            state = _stage(state, name, verdict=None)
        if state.stop in ASKED_AGAIN:  # an answer that could not be read is asked for again
            state = _stage(state, name, replies=NOTHING)
    return replace(state, active=True, stop=kept, stop_detail="")


def _runner_stopped(state: State, event: e.RunnerStopped) -> State:
    state = replace(state, active=False, stop_detail=event.detail)
    reason = event.reason
    lasting = reason not in (StopReason.done, StopReason.question, StopReason.approval)
    return replace(state, stop=reason) if lasting and state.stop is None else state


def _stage_started(state: State, event: e.StageStarted) -> State:
    before = state.stage(event.stage)
    fresh = before.inputs != event.inputs
    return _stage(
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
        recent=(),
        trail=(),
        measured=NOTHING if fresh else _without(before.measured, "circles"),
        refuted=0 if fresh else before.refuted,
        commit="" if fresh else before.commit,
        started_at=before.started_at or state.time,
        ended_at="",
        skipped="",
    )


def _call_started(state: State, event: e.CallStarted) -> State:
    used = replace(
        state.used,
        steps=max(state.used.steps, event.step),
        tokens=state.used.tokens + event.reserved.tokens,
        usd=state.used.usd + (event.reserved.usd or 0.0),
        unknown_usd_calls=state.used.unknown_usd_calls + (event.reserved.usd is None),
    )
    return replace(state, used=used, open_calls=_with(state.open_calls, event.call, event))


def _settle(state: State, call: e.CallStarted, tokens: int, usd: float | None) -> State:
    """Put what a call really used in place of what was reserved for it; a price nobody knows stays as reserved."""
    used, held = state.used, call.reserved.usd or 0.0
    unsaid = 0.0 if state.caps.unknown_usd else held  # only a person can let unknown money count as nothing
    used = replace(
        used,
        tokens=used.tokens - call.reserved.tokens + tokens,
        usd=used.usd - held + (unsaid if usd is None else usd),
        unknown_usd_calls=used.unknown_usd_calls - (call.reserved.usd is None) + (usd is None),
    )
    return replace(state, used=used, open_calls=_without(state.open_calls, call.call))


def _count_reported(state: State, call: e.CallStarted, usage: Usage) -> State:
    known = usage.input_tokens is not None and usage.output_tokens is not None
    used = replace(
        state.used,
        input_tokens=state.used.input_tokens + (usage.input_tokens or 0),
        output_tokens=state.used.output_tokens + (usage.output_tokens or 0),
        estimated_calls=state.used.estimated_calls + (not known),
    )
    scale = state.scale
    if usage.input_tokens and call.context_tokens:
        ratio = max(1.0, scale.get(call.model, 1.0), usage.input_tokens / call.context_tokens)
        scale = _with(scale, call.model, ratio)
    return replace(state, used=used, scale=scale)


def _call_ended(state: State, event: e.CallEnded) -> State:
    call = state.open_calls.get(event.call)
    if call is None:
        return state
    usage = event.usage
    tokens_in = call.context_tokens if usage.input_tokens is None else usage.input_tokens
    tokens_out = event.reply_tokens if usage.output_tokens is None else usage.output_tokens
    state = _settle(state, call, tokens_in + tokens_out, event.usd)
    state = _count_reported(state, call, usage)
    replies = _with(state.stage(call.stage).replies, call.key, event.reply)
    return _stage(state, call.stage, replies=replies)


def _call_failed(state: State, event: e.CallFailed) -> State:
    call = state.open_calls.get(event.call)
    if call is None:
        return state
    usage = event.usage or Usage()
    if usage.input_tokens is None or usage.output_tokens is None:  # unknown is not zero: it counts as reserved
        return replace(state, open_calls=_without(state.open_calls, event.call))
    return _settle(state, call, usage.input_tokens + usage.output_tokens, event.usd)


def _action_taken(state: State, event: e.ActionTaken) -> State:
    stage = state.stage(event.stage)
    notes = (*stage.notes, event.note)[-KEPT_NOTES:] if event.note else stage.notes
    state = replace(state, last_action=event.tool, pending=())
    done = f"{event.tool} {sorted(event.params.items())} {event.outcome} {event.summary} {event.output}"
    step = Step(hashlib.sha256(done.encode("utf-8", "replace")).hexdigest()[:16], event.tree)
    return _stage(
        state,
        event.stage,
        steps=stage.steps + 1,
        total_steps=stage.total_steps + 1,
        notes=notes,
        recent=(*stage.recent, event)[-3:],
        trail=(*stage.trail, step)[-KEPT_TRAIL:],
        replies=NOTHING,
    )


def _measured(state: State, event: e.Measured) -> State:
    if not event.stage:
        return replace(state, measured=_with(state.measured, event.what, event))
    stage = state.stage(event.stage)
    refuted = stage.refuted + (event.what == "held_back" and event.outcome == "fail")
    trail = () if event.what == "circles" else stage.trail  # told once, it is watched afresh
    return _stage(state, event.stage, measured=_with(stage.measured, event.what, event), refuted=refuted, trail=trail)


def _artifact_made(state: State, event: e.ArtifactMade) -> State:
    versions = (*state.stage(event.stage).versions, event.artifact)
    return _stage(
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
        return _stage(state, event.stage, verdict=event.verdict, repairs=0, feedback=())
    items = tuple(f"{p.where}: {p.what}" if p.where else p.what for p in event.verdict.problems)
    kept = tuple(f for f in stage.feedback if f.kind != "contract")
    feedback = (*kept, Feedback(kind="contract", iteration=stage.repairs + 1, items=items))
    return _stage(state, event.stage, verdict=event.verdict, repairs=stage.repairs + 1, feedback=feedback)


def _review_given(state: State, event: e.ReviewGiven) -> State:
    stage = state.stage(event.stage)
    feedback = stage.feedback
    if event.blocking and event.mode == "blocking":
        items = tuple(f"{i.id} ({i.severity}) {i.location}: {i.description} → {i.remediation}" for i in event.blocking)
        ids = tuple(issue.id for issue in event.blocking)
        feedback = (*feedback, Feedback(kind="review", iteration=event.iteration, items=items, ids=ids))
    return _stage(
        state,
        event.stage,
        reviews=(*stage.reviews, event),
        review_iteration=event.iteration,
        feedback=feedback,
        advisory=_unique(stage.advisory, (f"{i.id} ({i.severity}) {i.description}" for i in event.advisory)),
        replies=NOTHING,
    )


def _escalation_resolved(state: State, event: e.EscalationResolved) -> State:
    escalation = state.escalations.get(event.id)
    if escalation is None:
        return state
    state = replace(state, escalations=_without(state.escalations, event.id))
    if event.choice == "abort":
        return replace(state, stop=StopReason.aborted)
    stage = state.stage(escalation.stage)
    given = {q: event.answers.get(q.id, event.answers.get("*", "")) for q in escalation.questions}
    items = tuple(f"{question.text.partition(NEWLINE)[0]} → {text}" for question, text in given.items() if text)
    answers = {question.id: Answer(text, event.by, state.time) for question, text in given.items() if text}
    return _stage(
        state,
        escalation.stage,
        repairs=0,
        review_iteration=0,
        steps=0,
        trail=(),
        measured=_without(stage.measured, "circles"),
        refuted=0,
        overridden=stage.overridden or event.choice == "accept",
        feedback=(*stage.feedback, Feedback(kind="answer", items=items)) if items else stage.feedback,
        answers=MappingProxyType({**stage.answers, **answers}),
    )


def _iteration_presented(state: State, event: e.IterationPresented) -> State:
    state = _stage(state, event.stage, presented=True, iteration=event.iteration)
    return replace(state, awaiting=(event.stage, event.iteration))


def _decision_made(state: State, event: e.DecisionMade) -> State:
    state = replace(state, awaiting=None)
    feedback = (event.feedback,) if event.feedback else ()
    # a person has looked: repairs and reviews are counted afresh
    anew: dict[str, Any] = {"rework": True, "presented": False, "repairs": 0, "review_iteration": 0}
    if event.decision == "revise":
        return _stage(state, event.stage, feedback=feedback, **anew)
    if event.decision == "reject":
        state = _stage(state, event.stage, **anew)
        return _stage(state, _before(state, event.stage), approved=False, feedback=feedback, **anew)
    state = _stage(state, event.stage, approved=True)
    return replace(state, exit_now=event.stage) if event.decision == "exit" else state


def _said(state: State, event: e.Said) -> State:
    """What a person says of a version sends it back, also of one they have not been shown yet."""
    made = [name for name, stage in state.stages.items() if stage.status == "made"]
    if event.role != "human" or not made:
        return state
    state = replace(state, awaiting=None)
    return _stage(state, made[-1], rework=True, presented=False, approved=False, repairs=0, review_iteration=0)


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
    e.TaskMoved: lambda s, ev: replace(s, task=s.task and s.task.model_copy(update={"repository": ev.repository})),
    e.ExternalImported: lambda s, ev: replace(s, externals=_with(s.externals, ev.contract, ev.artifact)),
    e.RunnerStarted: _runner_started,
    e.RunnerStopped: _runner_stopped,
    e.StageStarted: _stage_started,
    e.StageSkipped: lambda s, ev: _stage(s, ev.stage, status="skipped", skipped=ev.reason, ended_at=s.time),
    e.StagePassed: lambda s, ev: _stage(s, ev.stage, status="passed", ended_at=s.time, feedback=()),
    e.CallStarted: _call_started,
    e.CallEnded: _call_ended,
    e.CallFailed: _call_failed,
    e.ActionTaken: _action_taken,
    e.WorkspaceMade: lambda s, ev: replace(s, branch=ev.branch),
    e.Measured: _measured,
    e.CommitMade: lambda s, ev: _stage(s, ev.stage, commit=ev.commit),
    e.RefWritten: lambda s, ev: replace(s, refs=_with(s.refs, ev.ref, ev.commit)),
    e.EditPlanned: lambda s, ev: replace(s, pending=(*s.pending, ev)),
    e.DraftMade: lambda s, ev: _stage(s, ev.stage, draft=ev.draft, replies=NOTHING),
    e.ArtifactMade: _artifact_made,
    e.GateDecided: _gate_decided,
    e.ReviewGiven: _review_given,
    e.EscalationRaised: lambda s, ev: replace(
        s, escalations=_with(s.escalations, ev.escalation.id, ev.escalation), raised=s.raised + 1
    ),
    e.EscalationResolved: _escalation_resolved,
    e.IterationPresented: _iteration_presented,
    e.DecisionMade: _decision_made,
    e.Said: _said,
    e.ActionAsked: lambda s, ev: replace(s, stop=None, stop_detail=""),
    e.HintGiven: lambda s, ev: replace(s, hints=(*s.hints, ev.text)[-KEPT_HINTS:]),
    e.PauseAsked: lambda s, ev: s if s.reason() else replace(s, stop=StopReason.paused),
    e.AbortAsked: lambda s, ev: s if s.exited else replace(s, stop=StopReason.aborted),
    e.CapsChanged: lambda s, ev: replace(s, caps=ev.caps),
    e.WarningGiven: lambda s, ev: replace(s, warnings=(*s.warnings, ev.text)[-KEPT_WARNINGS:]),
    e.PipelineExited: lambda s, ev: replace(s, exited=ev, exit_now=""),
}

STATE = register(Projection("state", EMPTY, fold_one))
"""What routing, limits and views read."""
