"""One call goes to whoever stands in; then everything is as before."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from thoughtforge.agent.run import ByHand, StandIn
from thoughtforge.agent.stage_runner import run_agent
from thoughtforge.calls.port import Capabilities

ME = StandIn("me", cast(Any, None))


def test_a_stand_in_is_taken_once() -> None:
    hand = ByHand()
    assert hand.take() is None
    hand.who = ME
    assert [hand.take(), hand.take()] == [ME, None]


@pytest.mark.parametrize(
    ("worker", "who", "how"),
    [(True, None, "_work_in_turns"), (True, ME, "take_steps"), (False, None, "take_steps")],
)
def test_an_agent_is_led_step_by_step_when_a_person_answers_its_next_call(
    how: str, who: StandIn | None, *, worker: bool
) -> None:
    hand = ByHand()
    hand.who = who
    agent = SimpleNamespace(model=SimpleNamespace(capabilities=Capabilities(worker=worker)))
    given = cast(Any, SimpleNamespace(by_hand=hand))
    work = run_agent(given, cast(Any, agent), cast(Any, None), brief=cast(Any, None), bridge=cast(Any, None))
    assert work.__name__ == how
    work.close()
