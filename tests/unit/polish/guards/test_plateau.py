"""No new low of critical + medium."""

from __future__ import annotations

from typing import Any

import pytest

from histories import counts, look


def mediums(*numbers: int, **fields: list[Any]) -> dict[str, Any]:
    return counts(*((0, number, 0) for number in numbers), **fields)


def test_it_waits_for_four_reviews_after_the_best() -> None:
    assert look("plateau", mediums(9, 5, 5, 6, 5)) is None
    assert look("plateau", mediums(9, 5, 5, 6, 5, 7))
    assert look("plateau", mediums(9, 5, 5), patience=1)


def test_an_equal_review_is_no_new_low_and_a_lower_one_begins_anew() -> None:
    assert look("plateau", mediums(5, 5, 5, 5, 5))
    assert look("plateau", mediums(5, 5, 5, 5, 4)) is None


@pytest.mark.parametrize(("last", "hit"), [(8, True), (9, False)])
def test_it_ends_well_at_most_three_above_the_best(last: int, hit: bool) -> None:
    assert bool(look("plateau", mediums(5, 6, 6, 6, last))) is hit


def test_it_says_the_numbers_when_it_ends_well() -> None:
    hit = look("plateau", mediums(5, 6, 6, 6, 8))
    assert hit is not None
    assert hit.sentence == "No new low of critical + medium for 4 reviews (best 5, last 8, at most 3 above it)."
    assert hit[1:] == ({"best": 5, "last": 8, "mean": 6.5, "waited": 4}, None, "")


@pytest.mark.parametrize(("numbers", "action"), [((4, 9, 9, 9, 9), None), ((4, 9, 9, 9, 10), "halt")])
def test_a_mean_over_one_and_a_half_times_the_best_plus_three_is_a_regression(
    numbers: tuple[int, ...], action: str | None
) -> None:
    hit = look("plateau", mediums(*numbers))
    assert (hit.action if hit else None) == action
    assert hit is None or hit.kind == "regression"


def test_a_regression_is_told_with_its_mean_and_limit() -> None:
    hit = look("plateau", mediums(4, 9, 9, 9, 10))
    assert hit is not None
    assert hit.sentence == (
        "No new low of critical + medium for 4 reviews (best 4, last 10); "
        "the mean of the last 4 is 9.2, more than 9: findings increase."
    )


def test_a_critical_in_both_of_the_last_two_halts_and_in_one_goes_on() -> None:
    both = look("plateau", counts((0, 5, 0), (0, 5, 0), (0, 5, 0), (1, 5, 0), (1, 5, 0)))
    assert both is not None
    assert (both.action, both.kind) == ("halt", "critical")
    assert both.sentence == (
        "No new low of critical + medium for 4 reviews (best 5, last 6); "
        "a critical is open in each of the last 2 reviews: 1 critical open."
    )
    assert look("plateau", counts((0, 5, 0), (0, 5, 0), (0, 5, 0), (0, 5, 0), (1, 5, 0))) is None


def test_failing_tests_are_no_good_end_either() -> None:
    assert look("plateau", mediums(5, 5, 5, 5, 5, tests_passed=[True] * 4 + [False])) is None
    assert look("plateau", mediums(5, 5, 5, 5, 5, tests_passed=[False] * 5)) is None


def test_minors_do_not_count() -> None:
    assert look("plateau", counts(*((0, 0, number) for number in (50, 40, 30, 20, 10))))
