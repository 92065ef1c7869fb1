"""An edit is pending from its plan to the end of the step it belongs to, and no longer."""

from __future__ import annotations

import pytest

from thoughtforge.agent.memory import PENDING
from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.polish.events import PolishFixed, PolishReviewed
from thoughtforge.workspaces.events import CommitMade, EditPlanned
from unit.kernel.making import begun, folded, made

ACTED = ActionTaken(stage="spec", round=1, step=1, role="r", tool="edit_file", outcome="ok", summary="s")
REVIEWED = PolishReviewed(stage="spec", iteration=1, review="d", outcome="continue", commit="c")
ENDS = [
    ACTED,
    CommitMade(stage="spec", commit="c", tree="t"),
    PolishFixed(stage="spec", iteration=1, outcome="accepted"),
    REVIEWED,
    made("spec", "a"),
    e.StagePassed(stage="spec", artifact="a"),
]


def planned(path: str, stage: str = "spec") -> EditPlanned:
    return EditPlanned(stage=stage, step=1, path=path, before=None, after="d")


def test_a_crash_between_plan_and_end_leaves_the_edits() -> None:
    plans = (planned("a.py"), planned("b.py"))
    restarted = e.RunnerStarted(pid=1, host="h", program="p")
    assert folded(PENDING, begun("spec"), *plans, restarted) == plans


@pytest.mark.parametrize("end", ENDS, ids=lambda end: str(end.type))
def test_whatever_ends_a_step_of_the_stage_ends_its_edits_and_no_others(end: e.Event) -> None:
    other = planned("c.py", stage="green")
    assert folded(PENDING, begun("spec"), planned("a.py"), other, planned("b.py"), end) == (other,)


def test_what_is_planned_after_the_end_is_pending() -> None:
    assert folded(PENDING, planned("a.py"), ACTED, planned("b.py")) == (planned("b.py"),)
