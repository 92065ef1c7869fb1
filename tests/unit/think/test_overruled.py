"""Which confirmed entries a later wish may concern: few, by rare words, and none that only share a common one."""

from __future__ import annotations

import pytest

from thoughtforge.think.overruled import nearest

PLAN = [
    "out of scope: a band",
    "excluded: the choice of the hall",
    "CON-1: Do not pay the caterer before May",
    "CON-2: The street is not closed on a Sunday",
    "CON-3: Never more than 80 guests, only neighbours",
    "D-1: Inviting: Olga writes to the fire brigade on Monday 4 May about the closed street",
    "D-2: Food: The caterer brings food for 80 guests",
    "D-3: Ending: Music ends at ten",
    "AC-1: Every action names a person and a date.",
    "AC-2: The costs are at most 900 EUR and are added up.",
]


@pytest.mark.parametrize(
    ("wish", "named"),
    [
        ("Not me: let Olga call the fire brigade, not write.", [PLAN[5]]),
        ("We want a band after all.", [PLAN[0]]),
        ("Only say it in nicer words, not so dry.", []),
        ("The caterer has room for 95 guests now.", [PLAN[6]]),
    ],
)
def test_the_nearest_entries_of_any_kind_are_named_and_no_others(wish: str, named: list[str]) -> None:
    assert nearest(wish, PLAN) == named
