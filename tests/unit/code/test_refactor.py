"""Coverage counts changed lines that have code on them, and only those."""

from thoughtforge.code.exit import ExitReport
from thoughtforge.code.refactor import _coverage, _quality, executable
from thoughtforge.gate.findings import Finding, GateVerdict

TEXT = '''"""A module."""

import json


def told(rows):
    """In words."""
    # a comment
    if not rows:
        return ""
    return json.dumps(
        rows,
    )
'''


def test_comments_and_empty_lines_cannot_run_and_code_in_functions_can() -> None:
    lines = executable("a.py", TEXT)
    assert {3, 6, 9, 10, 11} <= lines
    assert lines & {2, 4, 5, 8} == set()


def test_a_file_that_is_no_python_has_no_line_that_runs() -> None:
    assert executable("a.py", "def f(:") == frozenset()
    assert executable("a.py", "a\0b") == frozenset()


def measured(changed: set[int], covered: list[int], *, path: str = "shelf/a.py") -> ExitReport:
    exit = ExitReport("t", report={"covered": {path: covered}})
    _coverage(exit, {path: frozenset(changed)}, {path: TEXT}, need=80)
    return exit


def test_the_share_is_of_changed_lines_that_can_run() -> None:
    exit = measured({7, 8, 9, 10}, [9])
    (criterion,) = exit.criteria
    assert (criterion.outcome, exit.facts["coverage_percent"]) == ("fail", 50.0)
    assert criterion.detail == ("50.0 % of 2 changed lines run, 80 % are needed; shelf/a.py: lines 10 do not run")
    assert measured({8, 9, 10}, [9, 10]).criteria[0].outcome == "pass"


def test_where_no_line_can_run_coverage_is_not_run_and_never_counted_as_held() -> None:
    assert [c.outcome for c in measured({8}, []).criteria] == ["not_run"]
    exit = measured({9}, [9], path="src/main.rs")
    assert ([c.outcome for c in exit.criteria], exit.facts["coverage_measured"]) == (["not_run"], False)


def complexity(line: int) -> Finding:
    return Finding("V-1", "max-complexity", "complexity", "warning", "a.py", line, "old is complex: 37", "", "")


def test_functions_that_were_too_complex_before_are_named_as_such() -> None:
    held = "no new function is above the limit of cyclomatic complexity"
    for old, told in (
        ((), held),
        ((complexity(3),), f"{held}; there before: a.py:3 old is complex: 37"),
        ((complexity(3), complexity(9)), f"{held}; there before: a.py:3 old is complex: 37, and 1 more"),
    ):
        exit = ExitReport("t")
        _quality(exit, GateVerdict((), (), old, (), "", 0.0))
        assert [c.detail for c in exit.criteria if c.name == "complexity_threshold"] == [told]
