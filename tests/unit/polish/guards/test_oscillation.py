"""Going back to an earlier state."""

from __future__ import annotations

import pytest

from histories import counts, look


@pytest.mark.parametrize(
    ("hashes", "ago"),
    [
        ("aba", 2),
        ("abca", 3),
        ("abcda", None),  # four reviews ago
        ("aa", None),
        ("abb", None),  # does not differ from the last
        ("abaa", None),
        ("a", None),
        ("xaba", 2),
    ],
)
def test_equal_to_two_or_three_reviews_ago_and_different_from_the_last(hashes: str, ago: int | None) -> None:
    hit = look("oscillation", counts(*[(0, 9, 9)] * len(hashes), hash=list(hashes)))
    assert (hit.numbers["ago"] if hit else None) == ago


def test_it_says_which_iteration() -> None:
    hit = look("oscillation", counts(*[(0, 9, 9)] * 4, hash=list("abca")))
    assert hit is not None
    assert hit == (
        "The deliverable is again what it was 3 reviews ago, in iteration 1.",
        {"ago": 3, "iteration": 1},
        None,
        "oscillation",
    )


@pytest.mark.parametrize("hashes", [[None, None, None], ["a", None, "a"], ["a", "b", None]])
def test_an_unknown_state_equals_nothing(hashes: list[str | None]) -> None:
    assert look("oscillation", counts(*[(0, 9, 9)] * 3, hash=hashes)) is None
