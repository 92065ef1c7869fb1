"""Rises of the total after a fix."""

from __future__ import annotations

import pytest

from histories import look, totals


@pytest.mark.parametrize("numbers", [(5,), (5, 5), (6, 5), (5, 6, 5), (5, 6, 6)])
def test_no_rise_no_word(numbers: tuple[int, ...]) -> None:
    assert look("fix_regression", totals(*numbers)) is None


def test_one_rise_only_warns() -> None:
    hit = look("fix_regression", totals(9, 5, 6))
    assert hit is not None
    assert hit == ("The fix raised the number of findings once (5→6).", {"rises": 1, "totals": (5, 6)}, "warn", "")


def test_two_rises_running_are_left_to_the_profile() -> None:
    hit = look("fix_regression", totals(5, 6, 7))
    assert hit is not None
    assert (hit.action, hit.sentence) == (None, "The fix raised the number of findings 2 times in a row (5→6→7).")


def test_two_rises_with_a_fall_between_them_are_two_single_ones() -> None:
    hit = look("fix_regression", totals(5, 6, 4, 5))
    assert hit is not None
    assert hit.action == "warn"


@pytest.mark.parametrize(("now", "counts_as_rise"), [(12, False), (13, True)])
def test_a_rise_of_exactly_the_noise_floor_counts(now: int, counts_as_rise: bool) -> None:
    assert bool(look("fix_regression", totals(10, now), noise_floor=3)) is counts_as_rise
