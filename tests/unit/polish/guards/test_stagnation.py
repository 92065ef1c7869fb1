"""The same total made of other findings."""

from __future__ import annotations

from typing import Any

import pytest

from histories import finding, listed, look, totals

WORDS = [f"{letter * 10}" for letter in "abcdefghijklmnopqrstuvwxyz"]


def rotating(kept: int, total: int = 10) -> dict[str, Any]:
    """Three reviews of the same total; so many findings of the last were in the one before."""
    first, second, third = WORDS[:total], WORDS[:total], [*WORDS[:kept], *WORDS[total : 2 * total - kept]]
    return listed(*([finding("minor", text) for text in each] for each in (first, second, third)))


@pytest.mark.parametrize(("kept", "hit"), [(6, True), (7, False), (10, False), (0, True)])
def test_fewer_than_70_percent_matched_is_rotation_and_exactly_70_is_not(kept: int, hit: bool) -> None:
    assert bool(look("stagnation", rotating(kept))) is hit


def test_it_says_the_numbers() -> None:
    hit = look("stagnation", rotating(6))
    assert hit is not None
    assert hit.sentence == (
        "10 findings in 3 reviews in a row, and only 6 of them existed before (60 %, fewer than 70 %)."
    )


@pytest.mark.parametrize(("last", "hit"), [("aaaaaaaabb", False), ("aaaaaaabbb", True)])
def test_descriptions_match_from_four_fifths_on(last: str, hit: bool) -> None:
    rows = [[finding("minor", "a" * 10)], [finding("minor", "a" * 10)], [finding("minor", last)]]
    assert bool(look("stagnation", listed(*rows))) is hit


def test_the_total_must_be_the_same_for_the_limit() -> None:
    texts = iter(WORDS)
    other = [[finding("minor", next(texts)) for _ in range(size)] for size in (3, 3, 3)]
    assert look("stagnation", listed(*other))
    assert look("stagnation", listed(*other[:2])) is None
    assert look("stagnation", listed(*other[:2]), limit=2)
    assert look("stagnation", listed(other[0][:2], *other[1:])) is None


def test_without_findings_equal_totals_are_the_same_findings() -> None:
    assert look("stagnation", totals(7, 7, 7, 7)) is None


def test_where_the_texts_of_either_review_are_unknown_nothing_has_rotated() -> None:
    known, unknown = {"findings": [finding("minor", "a" * 9)]}, {"critical": 0, "medium": 0, "minor": 1}
    for rows in ([unknown, unknown, known], [unknown, known, unknown]):
        assert look("stagnation", {"iterations": rows}) is None


def test_nothing_found_is_no_rotation() -> None:
    assert look("stagnation", listed([], [], [])) is None
