"""What a test process said, and what its words are worth."""

from __future__ import annotations

import json
from typing import Any

import pytest

from thoughtforge.sandbox.box import SandboxResult
from thoughtforge.testing.report import SuiteReport, UnreadableFile
from thoughtforge.testing.report import TestResult as Result
from thoughtforge.testing.run import report_of

COLLECTED = {"fact": "collected", "ids": ["a", "b"]}
A = {"fact": "result", "id": "a", "when": "call", "outcome": "passed"}
B = {"fact": "result", "id": "b", "when": "call", "outcome": "passed"}
END = {"fact": "end", "code": 0, "seconds": 1.5}


def told(*facts: dict[str, Any], tail: bytes = b"", collect_only: bool = False, **ended: Any) -> SuiteReport:
    lines = b"".join(json.dumps(fact).encode() + b"\n" for fact in facts) + tail
    boxed = SandboxResult(
        **{"code": 0, "stdout": b"", "stderr": b"", "report": lines, "stopped": "", "cut": False} | ended
    )
    return report_of(boxed, collect_only=collect_only)


def test_a_whole_story_is_a_report() -> None:
    failed = {
        **B,
        "outcome": "failed",
        "cause": "missing",
        "missing": "shelf.as_json",
        "error": "AttributeError: …",
        "path": "tests/test_b.py",
        "line": 4,
        "seconds": 0.25,
    }
    unreadable = {
        "fact": "unreadable",
        "path": "t.py",
        "line": 2,
        "error": "SyntaxError",
        "cause": "other",
        "missing": "",
    }
    covered = {"fact": "covered", "path": "src/shelf.py", "lines": [1, 3]}
    assert told(COLLECTED, unreadable, A, failed, covered, {**END, "code": 1}) == SuiteReport(
        results={
            "a": Result("a", "passed"),
            "b": Result("b", "failed", "missing", "shelf.as_json", "AttributeError: …", "tests/test_b.py", 4, 0.25),
        },
        collected=("a", "b"),
        unreadable=(UnreadableFile("t.py", 2, "SyntaxError", "other"),),
        covered={"src/shelf.py": frozenset({1, 3})},
        seconds=1.5,
    )


BROKEN = {
    "without an end": ([COLLECTED, A, B], "the test process ended without an end report, with code 0 after b"),
    "answered twice": ([COLLECTED, A, A, B, END], "a was reported twice"),
    "not collected": ([{**COLLECTED, "ids": ["a"]}, A, B, END], "the report has a test that was not collected: b"),
    "not run": ([COLLECTED, A, END], "1 collected tests did not run; the first is b"),
    "after the end": ([COLLECTED, A, END, B], "the report continues after its end"),
    "a bad end": ([COLLECTED, A, B, {**END, "code": 3}], "the test runner failed to run, code 3"),
    "said to be": ([COLLECTED, A, B, {"fact": "broken", "why": "another tree"}, END], "another tree"),
    "an unknown outcome": (
        [COLLECTED, {**A, "outcome": "great"}, B, END],
        "the report cannot be parsed: ValueError(\"outcome 'great'\")",
    ),
}


@pytest.mark.parametrize(("facts", "reason"), BROKEN.values(), ids=BROKEN.keys())
def test_a_story_with_a_hole_is_broken(facts: list[dict[str, Any]], reason: str) -> None:
    assert told(*facts).broken == reason


def test_the_twin_of_every_broken_story_is_not() -> None:
    assert told(COLLECTED, A, B, END).broken == ""


def test_half_a_line_is_no_fact() -> None:
    half = json.dumps(END).encode()
    assert told(COLLECTED, A, B, tail=half).broken.startswith("the test process ended without an end report")


def test_a_line_that_is_no_json_is_no_answer() -> None:
    assert told(COLLECTED, A, B, tail=b"hello\n").broken.startswith("the report cannot be parsed")


def test_a_limit_is_named_before_anything_else() -> None:
    assert told(COLLECTED, A, stopped="memory_bytes").broken == "the tests were ended by the limit memory_bytes after a"


def test_last_words_are_passed_on() -> None:
    broken = told(code=139, stderr=b"one\nSegmentation fault\n").broken
    assert broken == "the test process ended without an end report, with code 139: Segmentation fault"


def test_a_failure_cannot_be_taken_back_and_a_late_one_counts() -> None:
    late = {**A, "when": "teardown", "outcome": "failed"}
    subs = [{**B, "when": "sub", "outcome": "failed"}, {**B, "when": "sub", "outcome": "failed"}, B]
    report = told(COLLECTED, A, late, *subs, END)
    assert (report.broken, report.results["a"].outcome, report.results["b"].outcome) == ("", "failed", "failed")


def test_tests_that_are_only_collected_need_no_answer() -> None:
    assert told(COLLECTED, END, collect_only=True) == SuiteReport(collected=("a", "b"), seconds=1.5)


def test_a_conftest_that_cannot_be_read_explains_a_bad_end() -> None:
    unreadable = {"fact": "unreadable", "path": "conftest.py", "line": 1, "error": "x", "cause": "other", "missing": ""}
    report = told(unreadable, {**END, "code": 4})
    assert (report.broken, report.unreadable) == ("", (UnreadableFile("conftest.py", 1, "x", "other"),))
