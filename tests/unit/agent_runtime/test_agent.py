"""An agent in its cage answers and acts; whatever goes wrong is said."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from caged import ASKS, Counting, Place, ScriptCli
from model_server import Cut, Fail, ModelServer, Say
from thoughtforge.agent_runtime.agent import CliAgent
from thoughtforge.agent_runtime.cli import Ask, Output, TurnOutput
from thoughtforge.calls.port import ProviderError, Reply, Transient, Usage
from thoughtforge.sandbox.box import ResourceLimits

PRICE = {"input_per_million": 1.0, "output_per_million": 2.0}


def test_a_completion_is_one_answer_with_what_it_used_and_its_price(place: Place) -> None:
    with ModelServer([Say("It is a ü.", (1000, 50))]) as server:
        reply = place.complete(ASKS, base_url=server.urls["anthropic"], price=PRICE)
    assert reply == Reply(text="It is a ü.", model="m", usage=Usage(input_tokens=1000, output_tokens=50), usd=0.0011)
    (asked,) = server.asked
    assert (asked.headers["x-api-key"], asked.body["max_tokens"]) == ("the-real-key", 100)


KEEPS = """
mark = os.path.join(os.environ["HOME"], "mark")
before = os.path.exists(mark)
open(mark, "w").close()
say(f"{ASK['session'] or 'new'} {before}")
"""


def test_a_conversation_is_kept_in_its_home_until_a_new_one_begins(place: Place) -> None:
    agent = place.agent(KEEPS, base_url="http://127.0.0.1:9")

    def told(home: str, session: str) -> tuple[str, str]:
        reply = asyncio.run(agent.complete("You answer.", "What?", max_output=100, home=home, session=session))
        return reply.text, reply.session

    calls = [told("T-1-drafter", ""), told("T-1-drafter", "s1"), told("T-1-drafter", ""), told("", "")]
    assert calls == [("new False", "s1"), ("s1 True", "s1"), ("new False", "s1"), ("new False", "")]
    assert [home.name for home in agent.machine.homes.iterdir()] == ["T-1-drafter"]


class Summing(ScriptCli):
    """Its own count is of the whole conversation."""

    def read(self, ask: Ask, output: Output) -> TurnOutput:
        told = super().read(ask, output)
        return told._replace(usage=Usage(input_tokens=900, output_tokens=90), cumulative=True)


def test_what_an_agent_counts_of_a_whole_conversation_is_not_the_usage_of_a_call(place: Place) -> None:
    agent = place.agent('say("Done.")', base_url="http://127.0.0.1:9", price=PRICE)
    agent.cli = Summing(Path(agent.cli.program))

    def used(session: str) -> tuple[Usage, float | None]:
        reply = asyncio.run(agent.complete("You answer.", "What?", max_output=100, home="T-1-x", session=session))
        return reply.usage, reply.usd

    assert used("") == (Usage(input_tokens=900, output_tokens=90), 0.00108)
    assert used("s1") == (Usage(), None)


def test_a_turn_reaches_our_tools_and_its_model(place: Place) -> None:
    code = """
    door = ASK["door"]
    say("calls a tool")
    status, told = post(door[0], {"n": 1}, Authorization="Bearer " + door[1])
    status, answer = messages()
    say(f"{told} {json.loads(answer)['content'][0]['text']}")
    """
    heard: list[str] = []
    meter = Counting()
    with ModelServer([Say("done", (20, 6))]) as server:
        ended = place.turn(code, meter=meter, turn={"progress": heard.append}, base_url=server.urls["anthropic"])
    assert ended == ('{"path": "/mcp", "body": {"n": 1}} done', "s1", ())
    assert heard == ["calls a tool", ended.text]
    assert [(wanted.model, wanted.max_output) for wanted in meter.wanted] == [("m", 9000)]
    assert [(ticket, answered.usage, answered.error) for ticket, answered in meter.settled] == [
        ("t1", Usage(input_tokens=20, output_tokens=6), "")
    ]


def test_what_was_paid_for_is_told_with_the_failure(place: Place) -> None:
    with ModelServer([Say("no", (50_000, 3_000)), Fail(400)]) as server, pytest.raises(ProviderError) as caught:
        place.complete("messages(); messages(); sys.exit(1)", base_url=server.urls["anthropic"], price=PRICE)
    used = Usage(input_tokens=50_000, output_tokens=3_000)
    assert caught.value.reply == Reply(text="", model="m", usage=used, usd=0.056)


def test_what_a_failure_used_stays_unknown_when_an_answer_did_not_tell(place: Place) -> None:
    code = """
    try:
        messages(stream=True)
    finally:
        sys.exit(1)
    """
    with ModelServer([Cut()]) as server, pytest.raises(ProviderError) as caught:
        place.complete(code, base_url=server.urls["anthropic"], price=PRICE)
    reply = caught.value.reply
    assert reply is not None
    assert (reply.usage, reply.usd) == (Usage(), None)
    assert reply.notes == ("some answers of its model did not report their tokens",)


def test_an_agent_that_never_asked_its_model_has_used_nothing(place: Place) -> None:
    with pytest.raises(ProviderError) as caught:
        place.complete("sys.exit(1)", base_url="http://127.0.0.1:9", price=PRICE)
    assert caught.value.reply == Reply(text="", model="", usage=Usage(input_tokens=0, output_tokens=0), usd=0.0)


@pytest.mark.parametrize(("status", "kind"), [(429, "rate_limited"), (503, "overloaded"), (200, "loop")])
def test_an_agent_that_asks_again_and_again_fails_for_the_reason_its_model_gave(
    place: Place, status: int, kind: str
) -> None:
    answer = Say("no", (10, 2)) if status == 200 else Fail(status)
    with ModelServer([answer] * 3) as server, pytest.raises(Transient) as caught:
        place.complete("for _ in range(9): messages()", base_url=server.urls["anthropic"], price=PRICE)
    reply = caught.value.reply
    assert (caught.value.kind, len(server.asked)) == (kind, 2)
    assert reply is not None
    assert reply.usage == Usage(input_tokens=server.input_tokens, output_tokens=server.output_tokens)


class Still(CliAgent):
    """Only says within which limits it would run."""

    async def _told(self, cage: Any, ask: Any, *, on_line: Any = None) -> TurnOutput:
        self.limits: ResourceLimits = cage.inmate.limits
        return TurnOutput("done")


@pytest.mark.parametrize(
    ("options", "left", "limits"),
    [
        ({"turn_seconds": 5_000, "idle_seconds": 900}, None, (5_000, 900)),
        ({"turn_seconds": 5_000, "idle_seconds": 900}, 42.0, (42, 900)),
        ({}, 4_000.0, (600, 180)),
    ],
    ids=["as configured", "what is left of the task", "unless given"],
)
def test_a_turn_may_take_as_long_as_its_entry_and_the_task_allow(
    place: Place, options: dict[str, float], left: float | None, limits: tuple[float, float]
) -> None:
    agent = place.agent("", **options)
    still = Still(agent.cli, agent.options, agent.machine)
    asyncio.run(still.turn(place.asked(wall_seconds=left)))
    assert (still.limits.wall_seconds, still.limits.idle_seconds) == limits


def test_the_longest_answer_is_the_same_in_what_is_reserved_and_what_is_granted(place: Place) -> None:
    agent = place.agent("", max_output_tokens=1_000, price={"input_per_million": 0, "output_per_million": 1})
    assert [agent.limit(wanted) for wanted in (10, 1_000, 99_999)] == [10, 1_000, 1_000]
    assert agent.reserve("", "", 99_999).usd == 0.001
    assert place.agent("", max_output_tokens=1_000, context_window=500).limit(99_999) == 500


def test_the_limit_that_ended_an_agent_is_named_with_the_setting_that_raises_it(place: Place) -> None:
    with pytest.raises(Transient) as turn:
        place.turn("time.sleep(60)", turn_seconds=1)
    with pytest.raises(Transient) as call:
        place.complete("time.sleep(60)", timeout_seconds=1)
    with pytest.raises(Transient) as idle:
        place.turn("time.sleep(60)", idle_seconds=1)
    assert (turn.value.kind, turn.value.do) == ("timeout", "Raise turn_seconds, or choose a quicker model.")
    assert (call.value.kind, call.value.do) == ("timeout", "Raise timeout_seconds, or choose a quicker model.")
    assert (idle.value.kind, idle.value.do) == ("timeout", "Try again, or raise idle_seconds.")
