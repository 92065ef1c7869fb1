"""TAP, as node's own runner and others write it."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.languages.javascript.reports import cause_of
from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import Environment, SuiteReport, SuiteRun
from thoughtforge.testing.report import TestResult as Result
from thoughtforge.testing.tap import tap_report

TAP = """TAP version 13
# Subtest: sums
    # Subtest: small
    ok 1 - small
      ---
      duration_ms: 0.9
      ...
    # Subtest: large
    not ok 2 - large
      ---
      error: '1 == 2'
      code: 'ERR_ASSERTION'
      name: 'AssertionError'
      ...
    ok 3 - later # SKIP not yet
    1..3
not ok 1 - sums
  ---
  error: '1 subtest failed'
  ...
# Subtest: names
not ok 2 - names
  ---
  error: 'nope is not defined'
  name: 'ReferenceError'
  ...
ok 3 - soon # TODO
1..3
"""


def read(text: str, *, code: int = 1, **asked: bool) -> SuiteReport:
    job = SuiteRun(Path("/r"), Environment("x"), {}, **asked)  # type: ignore[arg-type]
    return tap_report(text, job, SandboxResult(code, text.encode(), b"", b"", "", False), cause_of=cause_of)


def test_results_are_named_by_their_groups() -> None:
    report = read(TAP)
    assert report.broken == ""
    assert list(report.results.values()) == [
        Result("sums > small", "passed"),
        Result("sums > large", "failed", "assertion", error="AssertionError: 1 == 2"),
        Result("sums > later", "skipped"),
        Result("names", "failed", "missing", "nope", "ReferenceError: nope is not defined"),
        Result("soon", "skipped"),
    ]
    assert report.collected == tuple(report.results)


def test_a_plan_that_is_not_fulfilled_breaks_the_run() -> None:
    assert read(TAP.replace("ok 3 - soon # TODO\n", "")).broken == "the tests ended early: 2 results of 3"
    assert read("TAP version 13\nok 1 - a\n").broken == "the tests ended early: 1 results of an unknown number"


def test_a_failure_nobody_told_breaks_the_run() -> None:
    text = "TAP version 13\nok 1 - a\n1..1\n"
    assert read(text, code=0).broken == ""
    assert read(text, code=1).broken == "every test passed, but the command ended with code 1"


def test_tests_of_the_same_name_stay_apart() -> None:
    assert read("TAP version 13\nok 1 - a\nnot ok 2 - a\n1..2\n").collected == ("a", "a #2")


def test_collecting_answers_names_only() -> None:
    assert read(TAP, collect_only=True).results == {}
