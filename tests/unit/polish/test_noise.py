"""Noisy reviewers replayed: `default` tells noise from trend where `classic` halts. docs/guards.md has the figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from histories import counts, read
from thoughtforge.polish.evaluate import evaluate
from thoughtforge.polish.profile import built_in
from thoughtforge.settings.config import Polish

Rows = list[tuple[int, int, int]]
DOCS = Path(__file__).parents[3] / "docs" / "guards.md"
RUNS, ROUNDS = 200, 43


def steady(chance: Random) -> Rows:
    """A reviewer who always finds about as much: totals from 8 to 22 around 14.8, as one loop really had them."""
    sizes = [min(22, max(8, round(chance.gauss(14.8, 3.5)))) for _ in range(ROUNDS)]
    return [split(size, chance) for size in sizes]


def falling(chance: Random) -> Rows:
    """Every fix takes 15 % of what is wrong away, down to 2, and the reviewer's count varies by a quarter."""
    wrong = [max(2.0, 24 * 0.85**number) for number in range(ROUNDS)]
    return [split(max(0, round(chance.gauss(size, max(1, size / 4)))), chance) for size in wrong]


def split(total: int, chance: Random) -> tuple[int, int, int]:
    medium = sum(chance.random() < 0.5 for _ in range(total))
    return (0, medium, total - medium)


def outcomes(make: Callable[[Random], Rows], profile: str) -> Counter[str]:
    loaded = built_in(profile)
    histories = [read(counts(*make(Random(seed)))) for seed in range(RUNS)]
    return Counter(evaluate(history, loaded, Polish()).outcome for history in histories)


@pytest.mark.parametrize(
    ("make", "profile", "done", "halted"),
    [
        (steady, "classic", 7, 193),
        (steady, "default", 156, 44),
        (falling, "classic", 109, 91),
        (falling, "default", 197, 3),
    ],
)
def test_a_loop_ends_as_the_manual_says(make: Callable[[Random], Rows], profile: str, done: int, halted: int) -> None:
    found = outcomes(make, profile)
    assert (found["done"], found["halt"], found["continue"]) == (done, halted, 0)
    assert f"| {make.__name__} | `{profile}` | {done} | {halted} |" in DOCS.read_text(encoding="utf-8")


def test_the_steady_reviewer_is_as_noisy_as_the_real_one() -> None:
    found = [sum(row) for seed in range(RUNS) for row in steady(Random(seed))]
    assert (min(found), max(found), round(sum(found) / len(found), 1)) == (8, 22, 14.8)
