"""A run of tests is told as it was; nothing is claimed of a broken one."""

from thoughtforge.code.outcome import told
from thoughtforge.code.tool_context import ToolResult
from thoughtforge.testing import report as suites
from thoughtforge.testing.report import SuiteReport, UnreadableFile


def results(*outcomes: str) -> dict[str, suites.TestResult]:
    made = [
        suites.TestResult(f"t.py::t{at}", outcome, error="E: no" if outcome == "failed" else "", path="t.py", line=at)  # type: ignore[arg-type]
        for at, outcome in enumerate(outcomes)
    ]
    return {result.id: result for result in made}


def test_totals_and_failing_tests_with_place_and_error_are_told():
    report = SuiteReport(results("passed", "failed", "skipped"), seconds=1.26)
    assert told(report) == ToolResult(
        True,
        "1 passed, 1 failed, 1 skipped (1.3 s)",
        "1 passed, 1 failed, 1 skipped (1.3 s)\n- t.py::t1 at t.py:1: E: no",
    )


def test_no_more_than_ten_failing_tests_are_told():
    lines = told(SuiteReport(results(*["failed"] * 13))).output.splitlines()
    assert (len(lines), lines[-1]) == (12, "and 3 more fail")


def test_files_that_cannot_be_read_and_tests_without_an_answer_are_told():
    report = SuiteReport(
        results("passed"), ("t.py::t0", "t.py::t9"), (UnreadableFile("u.py", 3, "SyntaxError: x", "other"),)
    )
    assert told(report).output.splitlines() == [
        "1 passed, 0 failed, 1 file unreadable, 1 without an answer (0.0 s)",
        "- cannot be read: u.py:3: SyntaxError: x",
        "- no answer: t.py::t9",
    ]


def test_a_broken_run_claims_nothing():
    said = "the run is broken and says nothing about any test: no end"
    assert told(SuiteReport(results("passed"), broken="no end")) == ToolResult(False, said, said)
