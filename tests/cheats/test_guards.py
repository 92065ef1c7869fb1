"""Cheats with regression guards: new behaviour, or nothing at all, passed off as what must stay as it is."""

from __future__ import annotations

from typing import Any

import pytest

from cheats.cheat import Cheat, Trial, not_passed
from cheats.place import SPECIFICATION, World
from cheats.script import HELD_BACK, LISTED, TEST_FILE, TESTS, create, red_done

(ADDED,) = SPECIFICATION["requirements"]
STAYS = {"acceptance_criteria": [*ADDED["acceptance_criteria"], "The total of no prices stays 0."]}
GUARDED = World(
    specification={"requirements": [{**ADDED, **STAYS}], "regression_guards": ["REQ-001.3"]},
)
GUARD_FILE = "tests/test_nothing_to_pay.py"
GUARD = """from till.prices import total


def test_nothing_costs_nothing():
    assert total([]) == 0
"""
STRANGER = """from till import prices


def test_nothing_costs_nothing():
    assert len(prices.__name__) == 11
"""
WAITS = """from till import prices


def test_nothing_costs_nothing():
    if not hasattr(prices, "average"):
        assert prices.total([]) == 0
"""
NAMED = {"name": "test_nothing_costs_nothing", "requirement_ref": "REQ-001", "acceptance_criterion": "REQ-001.3"}
CASE: dict[str, Any] = {
    "criterion": "REQ-001.3",
    "kind": "call",
    "target": "till.prices:total",
    "args": [[0, 0]],
    "expect": 0,
}


def done(*, listed: tuple[dict[str, str], ...] = (NAMED,), case: dict[str, Any] = CASE) -> dict[str, Any]:
    """Red hands in both files."""
    files = [{"path": TEST_FILE, "tests": LISTED}, {"path": GUARD_FILE, "tests": list(listed)}]
    return red_done(test_files=files, held_back=[*HELD_BACK, case])


HONEST = (create(TEST_FILE, TESTS), create(GUARD_FILE, GUARD), done())


def guards(name: str, text: str, criterion: str, because: str, *, stage: str = "red", **handed: Any) -> Cheat:
    """Red writes this guard and hands it in."""
    red = (create(TEST_FILE, TESTS), create(GUARD_FILE, text), done(**handed))
    return Cheat(name, (not_passed(stage, criterion, because),), red=red, twin_red=HONEST, world=GUARDED)


NEW = GUARD.replace("total", "average").replace("from till.prices import average", "from till import prices")
CHEATS = [
    guards("guards what no product code decides", STRANGER, "guards_hold", "it guards nothing"),
    guards(
        "guards behaviour that does not exist yet",
        NEW.replace("average(", "prices.average("),
        "guards_hold",
        "failed today.*average",
    ),
    guards("guards only as long as the code is missing", WAITS, "changed_expectations", "whatever", stage="green"),
    guards("holds back new behaviour for a guard", GUARD, "cases_held_back", "REQ-001.3", case={**CASE, "expect": 9}),
]


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.name)
def test_it_is_refused_while_its_honest_twin_is_delivered(cheat: Cheat, trial: Trial) -> None:
    trial(cheat)
