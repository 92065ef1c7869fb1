"""One budget for the whole task: each cap ends the work before it is crossed, and says by how much."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from thoughtforge.calls.events import CapsChanged
from thoughtforge.calls.port import Capabilities, LimitHit, Reservation, longest_answer, lowered_by
from thoughtforge.calls.spending import afford, check
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import fold_one
from thoughtforge.kernel.model import Caps
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from unit.kernel.making import RUNNER, at, begun, call, ended, story, task


def used(**caps: float | None) -> State:
    """Two steps, 170 tokens and $1.50 are used under these caps."""
    return story(call(1), ended(1), call(2), of=task(caps=Caps.model_validate(caps)))


NEXT = Reservation(tokens=30, usd=0.5)
NEED = "30; a call has taken 85 tokens on average so far"
MONEY = "; a call has taken $0.7500 on average so far"


@pytest.mark.parametrize(
    ("caps", "reason", "words"),
    [
        ({"steps": 2}, StopReason.budget_steps, "2 of 2 steps are used"),
        (
            {"tokens": 199},
            StopReason.budget_tokens,
            f"170 of 199 tokens are used and the next call may need {NEED}",
        ),
        ({"usd": 1.99}, StopReason.budget_usd, f"$1.5000 of $1.99 are used and the next call may cost $0.5000{MONEY}"),
        ({"steps": 0}, StopReason.budget_steps, "2 of 0 steps are used"),
        ({"usd": 0}, StopReason.budget_usd, f"$1.5000 of $0.00 are used and the next call may cost $0.5000{MONEY}"),
    ],
    ids=lambda value: str(value),
)
def test_a_call_that_could_cross_a_cap_is_not_made(caps: dict[str, float], reason: StopReason, words: str) -> None:
    with pytest.raises(LimitHit) as hit:
        check(used(**caps), NEXT)
    assert (hit.value.reason, hit.value.detail) == (reason, words)


@pytest.mark.parametrize("caps", [{}, {"steps": 3}, {"tokens": 200}, {"usd": 2.0}, {"wall_seconds": 1}], ids=str)
def test_a_call_that_may_just_reach_a_cap_is_made(caps: dict[str, float]) -> None:
    state = used(**caps)
    check(state, NEXT)
    assert state.caps == Caps.model_validate(caps)


def test_a_price_nobody_knows_stops_under_a_cap_on_money_unless_a_person_allows_it() -> None:
    unknown = Reservation(tokens=30, usd=None)
    check(used(), unknown)
    check(used(usd=2.0, unknown_usd=True), unknown)
    with pytest.raises(LimitHit) as hit:
        check(used(usd=2.0), unknown)
    assert hit.value.reason == StopReason.unknown_cost
    with pytest.raises(LimitHit) as hit:
        check(used(usd=2.0, tokens=199, unknown_usd=True), unknown)
    assert hit.value.reason == StopReason.budget_tokens


def priced(output: int) -> Reservation:
    """A call that sends 10 tokens and costs a cent for each it answers."""
    return Reservation(tokens=10 + output, usd=output / 100)


def test_the_longest_answer_is_halved_until_what_is_left_can_pay_for_it() -> None:
    assert afford(used(), priced, 4096) == (priced(4096), 4096)
    assert afford(used(tokens=170 + 10 + 1500), priced, 4096) == (priced(1024), 1024)
    assert afford(used(usd=1.5 + 2.56), priced, 1000) == (priced(256), 256)
    assert afford(used(), priced, 100) == (priced(100), 100)


def test_an_answer_longer_than_usual_takes_no_more_than_half_of_the_money_that_is_left() -> None:
    assert afford(used(usd=1.5 + 400.0), priced, 16_384) == (priced(16_384), 16_384)
    assert afford(used(usd=1.5 + 200.0), priced, 16_384) == (priced(8_192), 8_192)
    assert afford(used(usd=1.5 + 50.0), priced, 16_384) == (priced(4_096), 4_096)
    assert afford(used(tokens=170 + 10 + 16_384), priced, 16_384) == (priced(16_384), 16_384)


@pytest.mark.parametrize(
    ("model", "most", "setting"),
    [
        (Capabilities(), 16_384, "call_output_tokens"),
        (Capabilities(max_output=16_384), 16_384, "call_output_tokens"),
        (Capabilities(max_output=4_000), 4_000, "max_output_tokens"),
        (Capabilities(max_output=90_000), 16_384, "call_output_tokens"),
        (Capabilities(context_window=400_000), 16_384, "call_output_tokens"),
        (Capabilities(context_window=8_000), 2_000, "a quarter of context_window"),
        (Capabilities(context_window=8_000, max_output=100), 100, "max_output_tokens"),
    ],
    ids=str,
)
def test_a_provider_only_lowers_the_longest_answer_and_the_setting_that_does_is_known(
    model: Capabilities, most: int, setting: str
) -> None:
    assert (longest_answer(16_384, model), lowered_by(16_384, model)) == (most, setting)


def test_an_answer_too_short_to_be_of_use_is_not_asked_for() -> None:
    with pytest.raises(LimitHit) as hit:
        afford(used(usd=1.5 + 2.55), priced, 4096)
    assert hit.value.reason == StopReason.budget_usd
    with pytest.raises(LimitHit) as hit:
        afford(used(steps=2), priced, 4096)
    assert hit.value.reason == StopReason.budget_steps


def test_time_at_work_is_a_cap_too() -> None:
    state = story(RUNNER, begun("intake"), begun("intake"), of=task(caps=Caps(wall_seconds=2)))
    with pytest.raises(LimitHit) as hit:
        check(state, NEXT)
    assert (hit.value.reason, hit.value.detail) == (StopReason.budget_wall, "2 of 2 seconds are used")


def test_caps_given_on_resume_count_from_the_first_call_on() -> None:
    state = used(tokens=180)
    with pytest.raises(LimitHit):
        check(state, NEXT)
    raised = fold_one(state, e.Record(9, at(9), CapsChanged(caps=Caps(tokens=200))))
    check(raised, NEXT)
    assert (raised.caps, raised.used, raised.the_task().caps) == (Caps(tokens=200), state.used, Caps(tokens=180))


@pytest.mark.parametrize("wrong", [float("inf"), float("nan"), -1.0])
def test_a_cap_is_a_number_that_can_be_reached(wrong: float) -> None:
    with pytest.raises(ValidationError):
        Caps(usd=wrong)
    with pytest.raises(ValidationError):
        Caps(wall_seconds=wrong)
