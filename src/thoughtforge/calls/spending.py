"""What calls use: one budget for the task, may the next call be made, how far estimates are off; the depth of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from thoughtforge.calls.events import (
    ActionTaken,
    CallEnded,
    CallFailed,
    CallStarted,
    CapsChanged,
    DepthSet,
    DraftMade,
    HandedAlong,
)
from thoughtforge.calls.port import LimitHit, Reservation, Usage
from thoughtforge.kernel.events import Measured, Record, StageStarted
from thoughtforge.kernel.fold import changes, plus, with_stage, without
from thoughtforge.kernel.state import NOTHING, Projection, State, register
from thoughtforge.kernel.stops import StopReason

SHORTEST = 256
"""Tokens of the shortest answer worth asking for."""
USUAL = 4_096
"""Tokens of an answer that hardly any call exceeds."""
CUT = "#cut"
"""After the key of a reply that reached its length limit: it is a part of an answer."""
TOO_LONG = (StopReason.budget_tokens, StopReason.budget_usd)
"""Caps that a shorter answer may still keep."""


def afford(state: State, reserve: Callable[[int], Reservation], longest: int) -> tuple[Reservation, int]:
    """The reservation of a call with the longest answer that what is left can pay for, and that answer's length.

    An answer longer than usual may take half of the money that is left: one call that never reports its usage must not
    end the task.
    """
    while True:
        reserved = reserve(longest)
        try:
            check(state, reserved)
        except LimitHit as hit:
            if longest <= SHORTEST or hit.reason not in TOO_LONG:
                raise
            longest = max(SHORTEST, longest // 2)
        else:
            left = None if state.caps.usd is None else state.caps.usd - state.used.usd
            if longest <= USUAL or left is None or (reserved.usd or 0.0) <= left / 2:
                return reserved, longest
            longest = max(USUAL, longest // 2)


def check(state: State, reserved: Reservation) -> None:
    """Raise LimitHit when a call that uses all of `reserved` could cross a cap."""
    caps, used = state.caps, state.used
    if caps.steps is not None and used.steps >= caps.steps:
        raise LimitHit(StopReason.budget_steps, f"{used.steps} of {caps.steps} steps are used")
    if caps.wall_seconds is not None and used.wall_seconds >= caps.wall_seconds:
        raise LimitHit(StopReason.budget_wall, f"{used.wall_seconds:.0f} of {caps.wall_seconds:.0f} seconds are used")
    if caps.tokens is not None and used.tokens + reserved.tokens > caps.tokens:
        so_far = f"{used.tokens:,} of {caps.tokens:,} tokens are used and the next call may need {reserved.tokens:,}"
        raise LimitHit(StopReason.budget_tokens, so_far + _buys(used.tokens, used.steps, "{:,.0f} tokens"))
    if caps.usd is None:
        return
    if reserved.usd is None and not caps.unknown_usd:
        raise LimitHit(StopReason.unknown_cost, "the price of the next call is unknown and a spending cap is set")
    usd = reserved.usd or 0.0
    if used.usd + usd > caps.usd:
        so_far = f"${used.usd:.4f} of ${caps.usd:.2f} are used and the next call may cost ${usd:.4f}"
        raise LimitHit(StopReason.budget_usd, so_far + _buys(used.usd, used.steps, "${:.4f}"))


def _buys(used: float, calls: int, form: str) -> str:
    """What a raise would buy, from the calls so far."""
    return f"; a call has taken {form.format(used / calls)} on average so far" if calls and used else ""


def _started(state: State, event: CallStarted) -> State:
    used = replace(
        state.used,
        steps=max(state.used.steps, event.step),
        tokens=state.used.tokens + event.reserved.tokens,
        usd=state.used.usd + (event.reserved.usd or 0.0),
        unknown_usd_calls=state.used.unknown_usd_calls + (event.reserved.usd is None),
    )
    return replace(state, used=used, open_calls=plus(state.open_calls, event.call, event))


def _open(state: State, call: str) -> CallStarted | None:
    found = state.open_calls.get(call)
    return found if isinstance(found, CallStarted) else None


def _settled(state: State, call: CallStarted, tokens: int, usd: float | None) -> dict[str, Any]:
    """What changes in `used` when usage replaces the reservation of a call; an unknown price stays as reserved."""
    used, held = state.used, call.reserved.usd or 0.0
    unsaid = 0.0 if state.caps.unknown_usd else held  # only a person can let unknown money count as nothing
    return {
        "tokens": used.tokens - call.reserved.tokens + tokens,
        "usd": used.usd - held + (unsaid if usd is None else usd),
        "unknown_usd_calls": used.unknown_usd_calls - (call.reserved.usd is None) + (usd is None),
    }


def _reported(state: State, usage: Usage) -> dict[str, Any]:
    """What changes in `used` by what a provider reported."""
    known = usage.input_tokens is not None and usage.output_tokens is not None
    return {
        "input_tokens": state.used.input_tokens + (usage.input_tokens or 0),
        "output_tokens": state.used.output_tokens + (usage.output_tokens or 0),
        "estimated_calls": state.used.estimated_calls + (not known),
    }


def _ended(state: State, event: CallEnded) -> State:
    call = _open(state, event.call)
    if call is None:
        return state
    usage = event.usage
    tokens_in = call.context_tokens if usage.input_tokens is None else usage.input_tokens
    tokens_out = event.reply_tokens if usage.output_tokens is None else usage.output_tokens
    used = replace(state.used, **_settled(state, call, tokens_in + tokens_out, event.usd), **_reported(state, usage))
    mine = state.stage(call.stage)
    key = call.key + CUT if event.cut else call.key
    stages = plus(state.stages, call.stage, replace(mine, replies=plus(mine.replies, key, event.reply)))
    return replace(state, used=used, open_calls=without(state.open_calls, call.call), stages=stages)


def _failed(state: State, event: CallFailed) -> State:
    call = _open(state, event.call)
    if call is None:
        return state
    usage = event.usage or Usage()
    if usage.input_tokens is None or usage.output_tokens is None:  # unknown is not zero: it counts as reserved
        told = _unsaid(state, call)
        return replace(state, open_calls=without(state.open_calls, event.call), measured=told)
    used = replace(state.used, **_settled(state, call, usage.input_tokens + usage.output_tokens, event.usd))
    return replace(state, used=used, open_calls=without(state.open_calls, event.call))


UNSAID = "calls without an answer"


class Held(NamedTuple):
    """What is reserved for calls that have not said what they used."""

    tokens: int = 0
    usd: float = 0.0


def reserved(state: State) -> Held:
    """What counts for the caps and was not reported: for calls at work, and for those that ended without a word."""
    unsaid = state.measured.get(UNSAID)
    facts = unsaid.facts if unsaid else {}
    open_calls = [call.reserved for call in state.open_calls.values() if isinstance(call, CallStarted)]
    tokens = int(facts.get("tokens", 0)) + sum(one.tokens for one in open_calls)
    return Held(tokens, float(facts.get("usd", 0.0)) + sum(one.usd or 0.0 for one in open_calls))


def _unsaid(state: State, call: CallStarted) -> Mapping[str, Measured]:
    """One more call that ended without a word about its usage."""
    before = state.measured.get(UNSAID)
    facts = before.facts if before else {}
    tokens = int(facts.get("tokens", 0)) + call.reserved.tokens
    now: dict[str, bool | int | float | str] = {
        "tokens": tokens,
        "usd": float(facts.get("usd", 0.0)) + (call.reserved.usd or 0.0),
    }
    summary = f"{tokens:,} tokens stay reserved, because nobody reported what was used"
    return plus(state.measured, UNSAID, Measured(what=UNSAID, outcome="pass", summary=summary, facts=now))


def _acted(state: State, event: ActionTaken) -> State:
    stage = state.stage(event.stage)
    stage = replace(stage, replies=NOTHING, steps=stage.steps + 1, total_steps=stage.total_steps + 1)
    return replace(state, last_action=event.tool, stages=plus(state.stages, event.stage, stage))


def _depth(state: State, event: DepthSet) -> State:
    """Who reviews what follows the depth; views read the depth like everything the engine decides by measuring."""
    before = state.measured.get("depth")
    began = before.facts["began"] if before else event.depth
    facts = {"depth": event.depth, "began": began}
    told = Measured(what="depth", outcome="pass", summary=event.reason, facts=facts)
    state = replace(state, measured=plus(state.measured, "depth", told))
    if state.task is None or not event.reviewers:
        return state
    line = state.task.pipeline
    stages = [s.model_copy(update={"reviewers": event.reviewers.get(s.name, s.reviewers)}) for s in line.stages]
    pipeline = line.model_copy(update={"stages": tuple(stages)})
    return replace(state, task=state.task.model_copy(update={"pipeline": pipeline}))


changes(
    {
        CallStarted: _started,
        CallEnded: _ended,
        CallFailed: _failed,
        ActionTaken: _acted,
        DraftMade: lambda state, event: with_stage(state, event.stage, draft=event.draft, replies=NOTHING),
        DepthSet: _depth,
        CapsChanged: lambda state, event: replace(state, caps=event.caps),
    }
)


class Scale(NamedTuple):
    """For each model the largest ratio of reported to estimated input tokens, and the calls without an end."""

    ratios: Mapping[str, float] = NOTHING
    calls: Mapping[str, CallStarted] = NOTHING
    begun: Mapping[str, float] = NOTHING
    """The ratios when the last stage began."""

    def of(self, model: str) -> float:
        """What to multiply an estimate by."""
        return self.ratios.get(model, 1.0)

    def settled(self, model: str) -> float:
        """The same when the stage began: what a whole stage is measured by."""
        return self.begun.get(model, 1.0)


def apply_scale(kept: Scale, record: Record) -> Scale:
    """The ratios after one more record."""
    match record.event:
        case CallStarted():
            return kept._replace(calls=plus(kept.calls, record.event.call, record.event))
        case CallEnded() | CallFailed():
            call, left = kept.calls.get(record.event.call), without(kept.calls, record.event.call)
            seen = record.event.usage.input_tokens if isinstance(record.event, CallEnded) else None
            if call is None or not seen or not call.context_tokens:
                return kept._replace(calls=left)
            ratio = max(kept.of(call.model), seen / call.context_tokens)
            return kept._replace(ratios=plus(kept.ratios, call.model, ratio), calls=left)
        case StageStarted():
            return kept._replace(begun=kept.ratios)
        case _:
            return kept


SCALE = register(Projection("scale", Scale(), apply_scale, (CallStarted, CallEnded, CallFailed, StageStarted)))


class Depth(NamedTuple):
    """How deep a run goes, and what was handed in before its stage began, by stage."""

    last: DepthSet | None = None
    """None for a task from before there were depths: it is full."""
    along: Mapping[str, HandedAlong] = NOTHING

    @property
    def quick(self) -> bool:
        """Whether what belongs together is handed in at once."""
        return self.last is not None and self.last.depth == "quick"


def apply_depth(kept: Depth, record: Record) -> Depth:
    """The depth after one more record."""
    match record.event:
        case DepthSet():
            return kept._replace(last=record.event)
        case HandedAlong():
            return kept._replace(along=plus(kept.along, record.event.stage, record.event))
        case _:
            return kept


DEPTH = register(Projection("depth", Depth(), apply_depth, (DepthSet, HandedAlong)))
