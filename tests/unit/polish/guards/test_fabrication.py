"""A severity over its trailing mean after near-convergence."""

from __future__ import annotations

import pytest

from histories import counts, look


@pytest.mark.parametrize(
    ("before", "now", "hit"),
    [
        ((4, 4, 4), 6, False),  # exactly 50 %
        ((4, 4, 4), 7, True),
        ((1, 1, 1), 2, False),  # +1
        ((1, 1, 1), 3, True),  # +2
        ((1, 1, 2), 3, False),  # 1.67 over a mean of 1.33
        ((0, 0, 0), 2, True),
    ],
)
def test_more_than_50_percent_and_at_least_two_over_the_mean(before: tuple[int, ...], now: int, hit: bool) -> None:
    history = counts(*((0, number, 0) for number in (*before, now)))
    assert bool(look("fabrication", history)) is hit


def test_it_is_silent_before_the_fourth_iteration() -> None:
    assert look("fabrication", counts((0, 1, 0), (0, 1, 0), (0, 9, 0))) is None
    assert look("fabrication", counts((0, 1, 0), (0, 1, 0), (0, 1, 0), (0, 9, 0)))


@pytest.mark.parametrize(
    ("near", "hit"), [((0, 6, 10), True), ((0, 7, 10), False), ((0, 6, 11), False), ((1, 6, 10), False)]
)
def test_an_earlier_review_must_have_been_within_twice_the_thresholds(near: tuple[int, int, int], hit: bool) -> None:
    far = (1, 8, 12)
    assert bool(look("fabrication", counts(near, far, far, far, (1, 20, 12)))) is hit


def test_the_review_itself_is_no_earlier_one() -> None:
    assert look("fabrication", counts((0, 0, 11), (0, 0, 11), (0, 0, 11), (0, 5, 0))) is None


def test_it_names_the_severity_and_the_numbers() -> None:
    hit = look("fabrication", counts((0, 2, 4), (0, 2, 4), (0, 2, 5), (0, 2, 9)))
    assert hit is not None
    assert hit.sentence == (
        "9 minor findings after a mean of 4.3 in the 3 reviews before, "
        "although an earlier review was close to the thresholds."
    )
    assert hit.numbers == {"severity": "minor", "count": 9, "mean": 13 / 3}
