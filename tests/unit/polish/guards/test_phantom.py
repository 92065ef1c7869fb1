"""Findings at places that do not exist."""

from __future__ import annotations

from typing import Any

import pytest

from histories import counts, finding, listed, look


def review(aside: int, total: int = 10) -> list[dict[str, Any]]:
    return [finding("minor", f"Point {number}", exists=number >= aside) for number in range(total)]


@pytest.mark.parametrize(
    ("before", "now", "hit"), [(3, 3, False), (4, 3, False), (3, 4, False), (4, 4, True), (10, 10, True)]
)
def test_more_than_30_percent_twice_running(before: int, now: int, hit: bool) -> None:
    assert bool(look("phantom", listed(review(before), review(now)))) is hit


def test_once_is_not_enough_and_nothing_found_is_no_share() -> None:
    assert look("phantom", listed(review(9))) is None
    assert look("phantom", listed(review(9), review(0), review(9))) is None
    assert look("phantom", listed([], [])) is None
    assert look("phantom", counts((0, 9, 9), (0, 9, 9))) is None


def test_it_says_the_numbers() -> None:
    hit = look("phantom", listed(review(4), review(5)))
    assert hit is not None
    assert hit.sentence == (
        "Findings at places that do not exist: 4 of 10, 5 of 10 in 2 reviews in a row, each more than 30 %."
    )
