"""Which session a kept conversation goes on with, what it sends again, and why one is over."""

from __future__ import annotations

import pytest

from thoughtforge.calls.conversations import CONVERSATIONS, FAILED, RESTARTED, Conversations, KeptSession
from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.kernel.events import Event
from unit.kernel.making import RUNNER, call, ended, folded

NAME = "drafter/script/m"


def begins(number: int, session: str = "", conversation: str = "drafter") -> CallStarted:
    return call(number).model_copy(update={"conversation": conversation, "session": session})


def ends(number: int, session: str = "s1", tokens: tuple[int | None, int | None] = (50, 20)) -> CallEnded:
    return ended(number, tokens=tokens).model_copy(update={"session": session})


FAILURE = CallFailed(call="C-2", kind="k", error="e")


@pytest.mark.parametrize(
    ("events", "kept", "lost"),
    [
        ([call(1), ended(1)], {}, {}),
        ([begins(1)], {}, {}),
        ([begins(1), ends(1)], {NAME: KeptSession("s1", 70)}, {}),
        ([begins(1), ends(1, tokens=(50, None))], {NAME: KeptSession("s1", 100)}, {}),
        ([begins(1), ends(1, session="")], {}, {}),
        ([begins(1), ends(1), begins(2, "s1")], {}, {}),
        ([begins(1), ends(1), begins(2, "s1"), ends(2, "s2", (90, 5))], {NAME: KeptSession("s2", 95)}, {}),
        ([begins(1), ends(1), begins(2, "s1"), FAILURE], {}, {NAME: FAILED}),
        ([begins(2), FAILURE], {}, {}),
        ([begins(1), ends(1), RUNNER], {}, {NAME: RESTARTED}),
        ([begins(1), ends(1), begins(2, "s1"), RUNNER], {}, {NAME: RESTARTED}),
        ([begins(1), RUNNER], {}, {}),
        ([begins(1), ends(1), RUNNER, begins(2)], {}, {}),
        (
            [begins(1), ends(1), begins(2, conversation="auditor"), ends(2, "s2")],
            {NAME: KeptSession("s1", 70), "auditor/script/m": KeptSession("s2", 70)},
            {},
        ),
    ],
    ids=lambda value: "" if isinstance(value, dict) else "-".join(type(event).__name__ for event in value),
)
def test_a_conversation_goes_on_until_a_call_fails_or_its_process_ends(
    events: list[Event], kept: dict[str, KeptSession], lost: dict[str, str]
) -> None:
    known: Conversations = folded(CONVERSATIONS, *events)
    assert (dict(known.kept), dict(known.lost)) == (kept, lost)


def test_events_from_before_there_were_conversations_still_load() -> None:
    old = {name: value for name, value in call(1).model_dump().items() if name not in ("conversation", "session")}
    assert CallStarted.model_validate(old) == call(1)
