"""The ceiling."""

from __future__ import annotations

from histories import look, totals


def test_it_halts_at_the_ceiling_and_not_before() -> None:
    assert look("max_iterations", totals(*[9] * 49)) is None
    assert look("max_iterations", totals(*[9] * 50))


def test_it_says_average_and_lowest_with_its_first_iteration() -> None:
    hit = look("max_iterations", totals(9, 4, 8, 4), limit=4)
    assert hit is not None
    assert hit.sentence == "4 reviews, the limit is 4: 6.2 findings on average, the fewest were 4 in iteration 2."
    assert hit.numbers == {"reviews": 4, "average": 6.25, "lowest": 4, "lowest_iteration": 2}
