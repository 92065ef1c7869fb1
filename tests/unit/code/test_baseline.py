"""The baseline: what passed must pass again, what wavered decides nothing."""

import json

from thoughtforge.code.session import Baseline, from_data, of
from thoughtforge.testing import report as result
from thoughtforge.testing.report import SuiteReport, UnreadableFile


def report(*unreadable: UnreadableFile, **outcomes: str) -> SuiteReport:
    results = {id: result.TestResult(id, outcome, seconds=0.25) for id, outcome in outcomes.items()}  # type: ignore[arg-type]
    return SuiteReport(results, tuple(results), unreadable)


FIRST = report(
    UnreadableFile("tests/test_old.py", 3, "SyntaxError", "other"),
    good="passed",
    bad="failed",
    sometimes="passed",
    left_out="skipped",
    vanishing="passed",
)
SECOND = report(good="passed", bad="failed", sometimes="failed", left_out="skipped", appearing="passed")


def test_what_answers_differently_the_second_time_is_flaky_and_decides_nothing() -> None:
    found = of(FIRST, SECOND)
    assert found.flaky == {"sometimes", "vanishing", "appearing"}
    assert found.passing == {"good"}
    assert found.failing == ("bad",)
    assert found.unreadable == ("tests/test_old.py",)


def test_a_test_that_failed_only_the_first_time_is_no_known_failure_to_lean_on() -> None:
    found = of(report(shaky="failed"), report(shaky="passed"))
    assert (found.passing, found.failing, found.flaky) == (frozenset(), (), {"shaky"})


def test_it_comes_back_from_the_record_as_it_was() -> None:
    found = of(FIRST, SECOND)
    assert from_data(json.loads(json.dumps(found.data()))) == found
    assert from_data(Baseline().data()) == Baseline()
