"""What comes next in a polish loop, as a table over what the record says."""

from dataclasses import replace
from typing import Any

import pytest

from thoughtforge.agent.run import Done, Halt
from thoughtforge.polish.events import PolishFixed, PolishReviewed
from thoughtforge.polish.rounds import Round, Rounds
from thoughtforge.stages.polish import FixTurn, GuardTurn, ReviewTurn, next_turn

FINDING = {
    "severity": "critical",
    "title": "Mint",
    "id": "F-001",
    "description": "",
    "location": "",
    "recommendation": "",
}


def a_round(outcome: str = "continue", *, fix: str = "", gate: bool = False, found: bool = True, **more: Any) -> Round:
    """One iteration."""
    review = PolishReviewed.model_validate(
        {"stage": "polish", "iteration": 1, "review": "d" * 64, "outcome": outcome, "commit": "c"}
    )
    rows = [FINDING] if found else []
    data = {"findings": rows, "size": 1, "hash": "h", "full": True, "tests_passed": True, "spent": 0.0}
    fixed = PolishFixed.model_validate({"stage": "polish", "iteration": 1, "outcome": fix}) if fix else None
    return Round(review, "", {**data, "gate": ["- x"] if gate else []}, fix=fixed, **more)


@pytest.mark.parametrize(
    ("rounds", "turn"),
    [
        (Rounds(), ReviewTurn(1)),
        (Rounds((a_round(),)), FixTurn()),
        (Rounds((a_round(fix="accepted"),)), ReviewTurn(2)),
        (Rounds((a_round(found=False),)), ReviewTurn(2)),
        (Rounds((a_round(found=False, gate=True),)), FixTurn()),
        (Rounds((a_round("done"),)), Done("converged")),
        (Rounds((a_round("halt"),)), GuardTurn()),
        (Rounds((a_round("halt"),), resumed=True), ReviewTurn(2)),
        (Rounds((a_round(),), overridden=True), Done("accepted")),
        (Rounds((a_round(stopped=("provider_failed",)),)), ReviewTurn(1)),
        (
            Rounds((a_round(fix="rejected"), replace(a_round(fix="rejected")))),
            Halt("fix_rejected", "2 fixes running were refused: "),
        ),
    ],
)
def test_what_comes_next(rounds: Rounds, turn: object) -> None:
    assert next_turn(rounds) == turn
