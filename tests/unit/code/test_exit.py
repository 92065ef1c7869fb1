"""An exit is passed only by conditions that were measured and hold."""

import pytest

from thoughtforge.code.exit import SHOWN, ExitReport
from thoughtforge.kernel.model import Criterion


def test_an_exit_for_which_nothing_was_measured_has_not_passed() -> None:
    assert ExitReport("t").outcome == "broken"


@pytest.mark.parametrize(
    ("conditions", "outcome"),
    [
        (["hold"], "pass"),
        (["hold", "not_run"], "pass"),
        (["hold", "fail"], "fail"),
        (["fail", "broken", "hold"], "broken"),
    ],
)
def test_broken_comes_before_failed_and_failed_before_passed(conditions: list[str], outcome: str) -> None:
    exit = ExitReport("t")
    for each in conditions:
        if each == "broken":
            exit.broken("checks", "ruff is missing")
        elif each == "not_run":
            exit.not_run("cases", "there are none")
        else:
            exit.require(each, ["wrong"] if each == "fail" else [])
    assert exit.outcome == outcome


def test_an_exit_that_only_left_things_out_is_told_as_it_is() -> None:
    exit = ExitReport("t")
    assert (exit.require("tests", [], good="3 tests"), exit.require("gate", ["a.py:1 wrong", "b.py:2 wrong"])) == (
        True,
        False,
    )
    exit.not_run("cases", "there are none")
    assert exit.told() == (
        "- tests: pass: 3 tests\n- gate: fail: a.py:1 wrong; b.py:2 wrong\n- cases: not_run: there are none"
    )
    assert exit.summary() == "1 of 3 exit conditions hold; not: gate; cases: not run, there are none"
    assert exit.failed == (Criterion(name="gate", outcome="fail", detail="a.py:1 wrong; b.py:2 wrong"),)


def test_many_problems_are_cut_for_people_and_kept_in_full_for_the_record() -> None:
    exit = ExitReport("t")
    problems = [f"problem {number}" for number in range(SHOWN + 4)]
    exit.require("gate", iter(problems))
    assert exit.criteria[0].detail == "; ".join(problems[:SHOWN]) + "; and 4 more"
    assert exit.report["problems"] == {"gate": problems}
