"""What comes next while a plan is written."""

import pytest

from thoughtforge.agent.run import Done
from thoughtforge.deliverables.plan.composing import AnewTurn, PlanView, SectionTurn, next_turn


@pytest.mark.parametrize(
    ("view", "turn"),
    [
        (PlanView(("aim", "steps")), SectionTurn("aim")),
        (PlanView(), Done("filled")),
        (PlanView(short=True), AnewTurn()),
        (PlanView(short=True, long_enough=True), Done("seen to")),
        (PlanView(("aim",), long_enough=True), SectionTurn("aim")),
    ],
)
def test_what_comes_next(view: PlanView, turn: object) -> None:
    assert next_turn(view) == turn
