"""What calls and actions add up to. A call counts at what was reserved for it until its end says what it used."""

from __future__ import annotations

from dataclasses import replace

from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed, CallStarted, CapsChanged, DraftMade
from thoughtforge.calls.port import Usage
from thoughtforge.kernel.fold import changes, plus, with_stage, without
from thoughtforge.kernel.state import NOTHING, State


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


def _settle(state: State, call: CallStarted, tokens: int, usd: float | None) -> State:
    """Put what a call really used in place of what was reserved for it; a price nobody knows stays as reserved."""
    used, held = state.used, call.reserved.usd or 0.0
    unsaid = 0.0 if state.caps.unknown_usd else held  # only a person can let unknown money count as nothing
    used = replace(
        used,
        tokens=used.tokens - call.reserved.tokens + tokens,
        usd=used.usd - held + (unsaid if usd is None else usd),
        unknown_usd_calls=used.unknown_usd_calls - (call.reserved.usd is None) + (usd is None),
    )
    return replace(state, used=used, open_calls=without(state.open_calls, call.call))


def _count_reported(state: State, usage: Usage) -> State:
    known = usage.input_tokens is not None and usage.output_tokens is not None
    used = replace(
        state.used,
        input_tokens=state.used.input_tokens + (usage.input_tokens or 0),
        output_tokens=state.used.output_tokens + (usage.output_tokens or 0),
        estimated_calls=state.used.estimated_calls + (not known),
    )
    return replace(state, used=used)


def _ended(state: State, event: CallEnded) -> State:
    call = _open(state, event.call)
    if call is None:
        return state
    usage = event.usage
    tokens_in = call.context_tokens if usage.input_tokens is None else usage.input_tokens
    tokens_out = event.reply_tokens if usage.output_tokens is None else usage.output_tokens
    state = _settle(state, call, tokens_in + tokens_out, event.usd)
    state = _count_reported(state, usage)
    replies = plus(state.stage(call.stage).replies, call.key, event.reply)
    return with_stage(state, call.stage, replies=replies)


def _failed(state: State, event: CallFailed) -> State:
    call = _open(state, event.call)
    if call is None:
        return state
    usage = event.usage or Usage()
    if usage.input_tokens is None or usage.output_tokens is None:  # unknown is not zero: it counts as reserved
        return replace(state, open_calls=without(state.open_calls, event.call))
    return _settle(state, call, usage.input_tokens + usage.output_tokens, event.usd)


def _acted(state: State, event: ActionTaken) -> State:
    stage = state.stage(event.stage)
    state = replace(state, last_action=event.tool)
    counted = {"steps": stage.steps + 1, "total_steps": stage.total_steps + 1}
    return with_stage(state, event.stage, replies=NOTHING, **counted)


changes(
    {
        CallStarted: _started,
        CallEnded: _ended,
        CallFailed: _failed,
        ActionTaken: _acted,
        DraftMade: lambda state, event: with_stage(state, event.stage, draft=event.draft, replies=NOTHING),
        CapsChanged: lambda state, event: replace(state, caps=event.caps),
    }
)
