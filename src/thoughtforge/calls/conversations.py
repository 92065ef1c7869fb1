"""Conversations that models keep from call to call: which session goes on, what it sends again, and which are over."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.kernel.events import Record, RunnerStarted
from thoughtforge.kernel.fold import plus, without
from thoughtforge.kernel.state import NOTHING, Projection, register

RESTARTED = "the process that kept it has ended"
FAILED = "its last call failed"


class KeptSession(NamedTuple):
    """A session that the next call of its conversation continues."""

    session: str = ""
    """As the agent names it; empty begins a new one."""
    tokens: int = 0
    """The most that its next request sends again of what was said."""


class Conversations(NamedTuple):
    """Every conversation of a task, by its name, provider and model."""

    kept: Mapping[str, KeptSession] = NOTHING
    lost: Mapping[str, str] = NOTHING
    """Why one is over that was kept before; known until its next call."""
    calls: Mapping[str, CallStarted] = NOTHING


def named(conversation: str, provider: str, model: str) -> str:
    """The key of a conversation: no provider's is another's, and no model's."""
    return f"{conversation}/{provider}/{model}"


def apply_conversations(known: Conversations, record: Record) -> Conversations:
    """The conversations after one more record; one whose call is open or failed is not continued."""
    match record.event:
        case RunnerStarted():
            running = [_key(call) for call in known.calls.values() if call.session]
            return Conversations(
                lost=MappingProxyType({**known.lost, **dict.fromkeys([*known.kept, *running], RESTARTED)})
            )
        case CallStarted() as call if call.conversation:
            kept, lost = without(known.kept, _key(call)), without(known.lost, _key(call))
            return Conversations(kept, lost, plus(known.calls, call.call, call))
        case CallEnded() | CallFailed() as end if end.call in known.calls:
            return _ended(known._replace(calls=without(known.calls, end.call)), known.calls[end.call], end)
        case _:
            return known


def _ended(known: Conversations, call: CallStarted, end: CallEnded | CallFailed) -> Conversations:
    if isinstance(end, CallFailed):
        return known._replace(lost=plus(known.lost, _key(call), FAILED)) if call.session else known
    if not end.session:
        return known
    given, made = end.usage.input_tokens, end.usage.output_tokens
    tokens = call.reserved.tokens if given is None or made is None else given + made
    return known._replace(kept=plus(known.kept, _key(call), KeptSession(end.session, tokens)))


def _key(call: CallStarted) -> str:
    return named(call.conversation, call.provider, call.model)


EVENTS = (RunnerStarted, CallStarted, CallEnded, CallFailed)
CONVERSATIONS = register(Projection("kept_conversations", Conversations(), apply_conversations, EVENTS))
