"""When the tests of a base commit say nothing, and what the errors tell about the cause."""

from __future__ import annotations

from typing import Literal

import pytest
import yaml

from thoughtforge.service.baseline import CAUSES_FILE, explained, faults
from thoughtforge.testing import report as reports
from thoughtforge.testing.report import Cause, SuiteReport, UnreadableFile

Outcome = Literal["passed", "failed", "skipped"]


def result(id: str, outcome: Outcome, cause: Cause = "") -> reports.TestResult:
    return reports.TestResult(id, outcome, cause, error="" if outcome == "passed" else "Error: no")


def report(*results: reports.TestResult, unreadable: int = 0) -> SuiteReport:
    lost = tuple(
        UnreadableFile(f"tests/test_{n}.py", 1, "ModuleNotFoundError: No module named 'x'", "missing", "x")
        for n in range(unreadable)
    )
    return SuiteReport({one.id: one for one in results}, tuple(one.id for one in results), lost)


PASSED = result("tests/a.py::one", "passed")
WRONG = result("tests/a.py::two", "failed", "assertion")
ERROR = result("tests/b.py::three", "failed", "other")


def test_a_suite_in_which_nothing_passes_says_nothing() -> None:
    assert [fault.path for fault in faults(report(WRONG, ERROR))] == ["tests/a.py", "tests/b.py"]
    assert len(faults(report(unreadable=3))) == 3


def test_a_suite_in_which_nearly_every_file_is_in_error_says_nothing() -> None:
    assert len(faults(report(PASSED, unreadable=9))) == 9
    assert faults(report(PASSED, unreadable=8)) == ()


def test_wrong_results_beside_a_passing_test_are_no_reason_to_stop() -> None:
    many = [result(f"tests/t{n}.py::test", "failed", "assertion") for n in range(20)]
    assert faults(report(PASSED, *many)) == ()
    assert faults(report(PASSED, WRONG, ERROR)) == ()


def test_what_was_brought_along_and_what_is_skipped_does_not_count() -> None:
    assert faults(report(ERROR), brought={"tests/b.py"}) == ()
    assert faults(report(result("tests/a.py::one", "skipped"))) == ()
    assert faults(report()) == ()


@pytest.mark.parametrize(
    ("error", "missing", "path", "cause"),
    [
        (
            "ModuleNotFoundError: No module named 'app._version'",
            "app._version",
            "src/app/_version.py",
            "git ignores src/",
        ),
        ("ModuleNotFoundError: No module named 'numpy'", "numpy", "", "numpy is not in the environment"),
        ("ImportError: libxml2.so.2: cannot open shared object file", "", "", "library of the system"),
        ("ConnectionRefusedError: [Errno 111] Connection refused", "", "", "a service or the network"),
        ("OSError: [Errno 30] Read-only file system: 'out'", "", "", "the checkout is read-only"),
        ("AssertionError: assert 1 == 2", "", "", "not known"),
    ],
)
def test_the_commonest_error_names_its_likely_cause(error: str, missing: str, path: str, cause: str) -> None:
    told, do = explained(error, missing, path)
    assert cause in told
    assert do.endswith(".")


def test_every_cause_can_be_told() -> None:
    data = yaml.safe_load(CAUSES_FILE.read_text())
    known = {"error": "e", "missing": "m", "path": "p"}
    for one in [*data["causes"], data["otherwise"]]:
        assert "{" not in one["cause"].format(**known) + one["do"].format(**known)
