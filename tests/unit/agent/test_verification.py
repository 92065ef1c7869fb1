"""What the engine measured reaches the agent's next step: in figures, and in full where something is in the way."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.frame import exit_text, measured_blocks, status
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Criterion
from unit.agent.at_work import GREEN, Place, at_work

CRITERIA = (
    Criterion(name="all_tests_pass", outcome="fail", detail="tests/test_a.py::test_a is gone"),
    Criterion(name="no_regressions", outcome="pass", detail="2 tests as before"),
    Criterion(name="held_back_cases", outcome="not_run", detail="there are none"),
    Criterion(name="conformance_pass", outcome="broken", detail="ruff is missing"),
)


def measured(what: str, outcome: str, summary: str, **fields: Any) -> Measured:
    return Measured.model_validate(
        {"stage": "green", "what": what, "outcome": outcome, "summary": summary, "criteria": CRITERIA, **fields}
    )


def test_only_conditions_that_hold_are_counted_and_those_that_do_not_are_told() -> None:
    assert exit_text(measured("exit", "fail", "s")) == (
        "- all_tests_pass: fail: tests/test_a.py::test_a is gone\n"
        "- conformance_pass: broken: ruff is missing\n"
        "- 1 other condition holds"
    )


def test_a_step_sees_the_last_exit_the_last_edit_and_what_to_do_next() -> None:
    async def act(place: Place) -> None:
        run, plain = place.run, {"round": 1, "open_points": 0, "judged_by": "the engine", "ready": False}
        assert (status(run, GREEN), measured_blocks(run, GREEN)) == (plain, [])
        run.record.journal.append(measured("edit", "fail", "1 new findings", facts={"next_action": "Name the type."}))
        run.record.journal.append(measured("exit", "fail", "1 of 4 exit conditions hold"))
        run.record.journal.append(measured("circles", "fail", "edits go back and forth"))
        assert status(run, GREEN) == {
            **plain,
            "last_exit": "1 of 4 exit conditions hold",
            "last_edit": "1 new findings",
            "next_action": "Name the type.",
        }
        circles, exit = measured_blocks(run, GREEN)
        assert (circles.title, circles.text) == ("you repeat yourself", "edits go back and forth")
        assert exit.text == exit_text(measured("exit", "fail", "s"))
        run.record.journal.append(measured("exit", "pass", "4 of 4 exit conditions hold"))
        assert [block.title for block in measured_blocks(run, GREEN)] == ["you repeat yourself"]

    at_work(act, GREEN)
