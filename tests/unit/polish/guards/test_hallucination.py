"""A jump after falls, and criticals that come back."""

from __future__ import annotations

import pytest

from histories import counts, look, totals


@pytest.mark.parametrize(
    ("numbers", "hit"),
    [
        ((20, 15, 10, 12), False),  # exactly 20 %
        ((20, 15, 10, 13), True),
        ((15, 10, 13), False),  # one fall only
        ((20, 20, 10, 13), False),
        ((20, 15, 10, 10, 13), False),  # the falls are not right before it
        ((3, 2, 0, 1), True),
        ((60, 55, 50, 60), False),
        ((60, 55, 50, 61), True),
    ],
)
def test_more_than_20_percent_up_after_two_falls(numbers: tuple[int, ...], hit: bool) -> None:
    assert bool(look("hallucination", totals(*numbers))) is hit


@pytest.mark.parametrize(
    ("numbers", "way"),
    [((42, 28, 19, 31), "2 times (42→28→19)"), ((42, 42, 28, 19, 9, 31), "3 times (42→28→19→9)")],
)
def test_the_way_down_begins_at_its_top(numbers: tuple[int, ...], way: str) -> None:
    hit = look("hallucination", totals(*numbers))
    assert hit is not None
    assert hit.sentence == f"Findings fell {way}, then rose to 31 in iteration {len(numbers)}."


def test_the_whole_way_down_is_told() -> None:
    hit = look("hallucination", totals(40, 42, 28, 19, 31))
    assert hit is not None
    assert hit.sentence == "Findings fell 2 times (42→28→19), then rose to 31 in iteration 5."
    assert hit.numbers == {"before": 19, "now": 31, "totals": (42, 28, 19, 31)}


@pytest.mark.parametrize(
    ("criticals", "hit"),
    [((0, 0, 1), True), ((0, 1), False), ((1, 0, 1), False), ((0, 0, 0), False), ((0, 1, 1), False)],
)
def test_criticals_that_come_back_after_two_reviews_without(criticals: tuple[int, ...], hit: bool) -> None:
    assert bool(look("hallucination", counts(*((number, 5, 5) for number in criticals)))) is hit


def test_what_came_back_is_told() -> None:
    hit = look("hallucination", counts((1, 5, 5), (0, 5, 5), (0, 5, 5), (2, 5, 3)))
    assert hit is not None
    assert hit.sentence == "2 critical came back after 2 reviews without one (0→0→2)."
