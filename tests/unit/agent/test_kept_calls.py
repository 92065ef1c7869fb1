"""A call in a conversation that its model keeps: what is reserved, and what follows when it cannot go on."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from thoughtforge.agent.calls import ModelRequest, call
from thoughtforge.agent.context import Context
from thoughtforge.agent.prompt import SystemPrompt
from thoughtforge.agent.run import Agent
from thoughtforge.calls.port import Capabilities, ProviderError, Reply, Reservation, Usage
from thoughtforge.calls.spending import SCALE
from thoughtforge.kernel.errors import Stop
from unit.agent.at_work import GREEN, Place, at_work

HOME = "20260101-abcd-a-task-drafter-agent-m"


class Model:
    """Keeps a conversation, unless told otherwise, and fails for the words it is told to."""

    offsite, model, label = False, "m", ""

    def __init__(self, *failures: str, **capabilities: Any) -> None:
        self.capabilities = Capabilities(**{"conversation": True, **capabilities})
        self.failures = list(failures)
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def reserve(self, system: str, context: str, max_output: int, schema: Any = None) -> Reservation:
        return Reservation(tokens=len(context), usd=0.0)

    async def complete(self, system: str, context: str, schema: Any = None, **more: Any) -> Reply:
        kept = {name: more[name] for name in ("home", "session") if name in more}
        self.asked.append((context, kept))
        if kind := self.failures.pop(0) if self.failures else "":
            raise ProviderError(kind, "no")
        number = f"s{len(self.asked)}" if kept else ""
        return Reply(text="said", model="m", usage=Usage(input_tokens=1000, output_tokens=50), usd=0.0, session=number)


def asked(model: Model, *texts: str, **order: Any) -> tuple[list[Any], list[Any], list[str], float]:
    """What the model got in these calls, what is on record of each, the warnings, and how far estimates are off."""

    async def act(place: Place) -> tuple[list[Any], list[Any], list[str], float]:
        began: list[Any] = []
        place.run.record.journal.listen(lambda record: began.append(record.event))
        agent = Agent(cast(Any, SimpleNamespace(name="drafter", version="1.0")), "agent", cast(Any, model))
        for number, text in enumerate(texts):
            context = Context(text, {}, 1000)
            request = ModelRequest(f"k{number}", GREEN, agent, SystemPrompt("", 0, {}), context, {}, **order)
            assert await call(place.run, request) == "said"
        starts = [(e.session, e.reserved.tokens, e.context_tokens) for e in began if e.type == "call_started"]
        warned = [e.text for e in began if e.type == "warning_given"]
        return model.asked, starts, warned, place.run.record.journal.of(SCALE).of("m")

    return at_work(act, GREEN)


def test_the_next_call_continues_and_reserves_what_is_sent_again() -> None:
    given, starts, warned, scale = asked(Model(), "first", "second", conversation="drafter")
    assert given == [("first", {"home": HOME, "session": ""}), ("second", {"home": HOME, "session": "s1"})]
    assert starts == [("", 5, 1000), ("s1", 6 + 1050, 2050)]
    assert (warned, scale) == ([], 1.0)


@pytest.mark.parametrize(("keeps", "order"), [(False, {"conversation": "drafter"}), (True, {})])
def test_other_calls_are_what_they_were(keeps: bool, order: dict[str, str]) -> None:
    given, starts, _, _ = asked(Model(conversation=keeps), "first", "second", **order)
    assert given == [("first", {}), ("second", {})]
    assert starts == [("", 5, 1000), ("", 6, 1000)]


def test_a_conversation_that_cannot_go_on_is_followed_by_a_new_one() -> None:
    given, starts, warned, _ = asked(Model("", "bad_request"), "first", "second", conversation="drafter")
    assert [kept["session"] for _, kept in given] == ["", "s1", ""]
    assert [session for session, _, _ in starts] == ["", "s1", ""]
    assert warned == ["the conversation of the drafter with agent begins anew: its last call failed"]


def test_a_call_that_cannot_be_made_at_all_is_not_repeated() -> None:
    model = Model("", "bad_request", "bad_request")
    with pytest.raises(Stop, match="bad_request"):
        asked(model, "first", "second", conversation="drafter")
    assert len(model.asked) == 3


def test_a_full_conversation_is_followed_by_a_new_one() -> None:
    model = Model(context_window=2500, max_output=500)
    given, _, warned, _ = asked(model, "first", "second", conversation="drafter")
    assert [kept["session"] for _, kept in given] == ["", ""]
    assert warned == ["the conversation of the drafter with agent begins anew: it is full"]
