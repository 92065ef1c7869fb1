"""When the tests of a base commit say nothing, and what the errors tell about the cause."""

from __future__ import annotations

from typing import Literal

import pytest
import yaml

from thoughtforge.service.baseline import CAUSES_FILE, SKIPPED, NotPassing, explained, faults, told
from thoughtforge.testing import report as reports
from thoughtforge.testing.report import Cause, SuiteReport, UnreadableFile

Outcome = Literal["passed", "failed", "skipped"]
MODULE = "ModuleNotFoundError: No module named 'x'"


def result(id: str, outcome: Outcome, cause: Cause = "") -> reports.TestResult:
    return reports.TestResult(id, outcome, cause, error="" if outcome == "passed" else "Error: no")


def report(*results: reports.TestResult, unreadable: int = 0) -> SuiteReport:
    lost = tuple(UnreadableFile(f"tests/test_{n}.py", 1, MODULE, "missing", "x") for n in range(unreadable))
    return SuiteReport({one.id: one for one in results}, tuple(one.id for one in results), lost)


def suite(files: int = 1, *, unreadable: int = 0, **each: int) -> SuiteReport:
    """A suite of so many files, each with so many tests of a kind."""
    kinds: dict[str, tuple[Outcome, Cause]] = {
        "passed": ("passed", ""),
        "wrong": ("failed", "assertion"),
        "error": ("failed", "other"),
        "skipped": ("skipped", ""),
    }
    named = ((f"tests/s{file}.py", kind, n) for file in range(files) for kind in each for n in range(each[kind]))
    return report(*(result(f"{path}::{kind}{n}", *kinds[kind]) for path, kind, n in named), unreadable=unreadable)


def both(first: SuiteReport, second: SuiteReport) -> SuiteReport:
    """Two suites as one; the files of the second have other names."""
    renamed = [one._replace(id=f"more/{one.id}") for one in second.results.values()]
    return report(*first.results.values(), *renamed, unreadable=len(first.unreadable) + len(second.unreadable))


PASSED = result("tests/a.py::one", "passed")
WRONG = result("tests/a.py::two", "failed", "assertion")
ERROR = result("tests/b.py::three", "failed", "other")


def test_what_does_not_pass_is_told_with_its_file() -> None:
    assert [(fault.path, fault.kind) for fault in faults(report(WRONG, ERROR))] == [
        ("tests/a.py", "wrong"),
        ("tests/b.py", "error"),
    ]
    assert faults(report(unreadable=1)) == (NotPassing("tests/test_0.py", MODULE, "x", "error"),)


@pytest.mark.parametrize(
    ("stopped", "number"),
    [
        (suite(passed=1, error=999), 999),
        (suite(20, passed=1, error=50), 1_000),
        (suite(passed=1, error=9), 9),
        (suite(3, passed=10, error=90, wrong=0), 270),
        (suite(passed=1, error=9, skipped=500), 9),
        (suite(passed=1, unreadable=9), 9),
        (suite(passed=50, unreadable=9), 9),
        (suite(unreadable=3), 3),
        (suite(wrong=4), 4),
        (suite(2, error=3, wrong=1), 8),
        (suite(skipped=12), 12),
        (suite(skipped=1), 1),
        (suite(4, skipped=5, error=1), 4),
        (suite(skipped=5, unreadable=1), 1),
    ],
)
def test_a_suite_that_says_nothing_stops_the_task(stopped: SuiteReport, number: int) -> None:
    assert len(faults(stopped)) == number


@pytest.mark.parametrize(
    "heard",
    [
        suite(),
        suite(passed=1),
        suite(passed=1, skipped=900),
        suite(passed=1, wrong=20),
        suite(passed=1, error=1),
        suite(passed=2, error=8, wrong=1),
        suite(passed=1, unreadable=8),
        suite(5, passed=20, unreadable=1),
        suite(5, passed=1, unreadable=1),
        suite(2, passed=1, unreadable=1),
        both(suite(4, passed=5), suite(error=30)),
        both(suite(30, passed=1), suite(30, error=1)),
        suite(10, passed=100, wrong=5, error=5, skipped=5),
    ],
)
def test_a_suite_that_says_something_stops_nothing(heard: SuiteReport) -> None:
    assert faults(heard) == ()


def test_what_was_brought_along_does_not_count() -> None:
    assert faults(report(ERROR), brought={"tests/b.py"}) == ()
    assert faults(report(unreadable=1), brought={"tests/test_0.py"}) == ()
    assert faults(report(PASSED, *suite(error=20).results.values()), brought={"tests/s0.py"}) == ()
    assert len(faults(report(ERROR, WRONG), brought={"tests/b.py"})) == 1


@pytest.mark.parametrize(
    ("stopped", "said"),
    [
        (suite(skipped=12), "all 12 tests are skipped; the commonest reason"),
        (suite(skipped=1), "the only test is skipped; the commonest reason"),
        (suite(skipped=12, error=2), "no test passes, and 12 are skipped; the commonest error"),
        (suite(wrong=2), "no test passes; the commonest error"),
        (suite(passed=1, error=999), "1 tests pass and 999 tests or test files do not; the commonest error"),
    ],
)
def test_it_is_told_how_the_suite_stands(stopped: SuiteReport, said: str) -> None:
    assert told(stopped, faults(stopped)) == said


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
    likely, do = explained(error, missing, path)
    assert cause in likely
    assert do.endswith(".")


def test_skipped_tests_have_a_cause_of_their_own() -> None:
    likely, do = explained("only on the build server", "", "", otherwise=SKIPPED)
    assert likely == "The tests leave themselves out on this machine; what the reason asks for is not there."
    assert do.startswith("Give the tests what the reason asks for")


def test_every_cause_can_be_told() -> None:
    data = yaml.safe_load(CAUSES_FILE.read_text())
    known = {"error": "e", "missing": "m", "path": "p"}
    for one in [*data["causes"], data["otherwise"], data["skipped"]]:
        assert "{" not in one["cause"].format(**known) + one["do"].format(**known)
