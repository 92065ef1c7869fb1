"""The size against the first review."""

from __future__ import annotations

import pytest

from histories import counts, look


@pytest.mark.parametrize(
    ("sizes", "hit"),
    [
        ([100, 200], False),  # exactly twice
        ([100, 201], True),
        ([100, 150, 201], True),
        ([100, 201, 200], False),
        ([None, 900], False),
        ([100, None], False),
        ([0, 900], False),
        ([100], False),
    ],
)
def test_larger_than_twice_its_first_size(sizes: list[int | None], hit: bool) -> None:
    assert bool(look("growth", counts(*[(0, 9, 9)] * len(sizes), size=sizes))) is hit


def test_it_says_the_numbers() -> None:
    hit = look("growth", counts((0, 9, 9), (0, 9, 9), size=[78_000, 180_000]))
    assert hit is not None
    assert hit.sentence == "The deliverable grew from 78000 to 180000 (2.31 times its first size, more than 2)."
