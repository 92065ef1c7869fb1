"""A cap that is used up."""

from __future__ import annotations

import pytest

from histories import counts, look


@pytest.mark.parametrize(("spent", "hit"), [(None, False), (0.99, False), (1.0, True), (1.2, True)])
def test_it_halts_when_all_of_it_is_spent(spent: float | None, hit: bool) -> None:
    assert bool(look("budget", counts((0, 9, 9), spent=[spent]))) is hit


def test_it_says_how_much() -> None:
    hit = look("budget", counts((0, 9, 9), spent=[1.0]))
    assert hit == ("100% of the budget is used up.", {"spent": 1.0, "share": 1.0}, None, "")
