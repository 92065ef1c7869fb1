"""HISTORY.json: what is absent, what is wrong."""

from __future__ import annotations

import json
from typing import Any

import pytest

from histories import counts, finding, listed, read
from thoughtforge.kernel.errors import UserError
from thoughtforge.polish.finding import Counts, ReviewFinding
from thoughtforge.polish.history import Iteration
from thoughtforge.polish.log_text import read_history

DO = 'Write it like {"iterations": [{"critical": 0, "medium": 3, "minor": 5}]}'


def test_what_is_absent_counts_as_in_order() -> None:
    history = read(counts((1, 0, 1)))
    stand_ins = (ReviewFinding("critical", "", id="I-1.1"), ReviewFinding("minor", "", id="I-1.2"))
    assert history.iterations == (Iteration(stand_ins, itemised=False, stated=Counts(1, 0, 1)),)
    assert (history.last.full, history.last.tests_passed, history.last.spent) == (True, True, 0.0)


def test_everything_that_can_be_said() -> None:
    row = finding("medium", "No date", "Opening", exists=False)
    data = listed([row], size=[9], hash=["ab"], full=[False], tests_passed=[False], spent=[0.5])
    kept = ReviewFinding("medium", "No date", "Opening", id="F-001", exists=False)
    assert read_history(json.dumps(data), source="h.json").iterations == (
        Iteration((kept,), stated=Counts(0, 1, 0), size=9, hash="ab", full=False, tests_passed=False, spent=0.5),
    )


def test_findings_without_counts_are_enough_and_counts_come_from_them() -> None:
    history = read({"iterations": [{"findings": [finding("minor", "A comma")]}]})
    assert history.last.counts == Counts(0, 0, 1)
    lying = read(counts((0, 0, 9), findings=[[finding("critical", "Fire")]]))
    assert lying.last.counts == Counts(1, 0, 0)


def test_without_findings_equal_totals_running_have_the_same_ids() -> None:
    history = read(counts((0, 2, 0), (0, 1, 1), (0, 1, 0), (0, 2, 0)))
    ids = [[one.id for one in iteration.findings] for iteration in history.iterations]
    assert ids == [["I-1.1", "I-1.2"], ["I-1.1", "I-1.2"], ["I-3.1"], ["I-4.1", "I-4.2"]]


def test_null_is_absent() -> None:
    row = {"critical": 0, "medium": 0, "minor": 0, "findings": None, "size": None, "tests_passed": None, "full": None}
    assert read({"iterations": [row]}) == read(counts((0, 0, 0)))


def test_a_history_without_a_review_is_one() -> None:
    assert read({"iterations": []}).number == 0


@pytest.mark.parametrize(
    ("data", "details"),
    [
        ([], ("file: expected keys and values, got list",)),
        ({}, ("iterations: is missing",)),
        ({"iterations": 3}, ("iterations: expected a valid list, got '3'",)),
        ({"iterations": [{}]}, ("iterations[0]: needs critical, medium, minor, or the findings themselves",)),
        (
            {"iterations": [{"critical": 0, "medium": 1}, {"critical": 0, "medium": -1, "minor": True, "tets": 1}]},
            (
                "iterations[0]: needs minor, or the findings themselves",
                "iterations[1].medium: expected greater than or equal to 0, got '-1'",
                "iterations[1].minor: expected a valid integer, got 'True'",
                "iterations[1].tets: unknown key",
            ),
        ),
        (
            {"iterations": [{"findings": [{"severity": "high", "description": "x"}]}]},
            ("iterations[0].findings[0].severity: expected 'critical', 'medium' or 'minor', got 'high'",),
        ),
        (
            {"iterations": [{"findings": [finding("minor", "x", id="A"), finding("minor", "y", id="A")]}]},
            ("iterations[0]: findings have the same id: A",),
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_place(data: Any, details: tuple[str, ...]) -> None:
    with pytest.raises(UserError) as caught:
        read_history(json.dumps(data), source="h.json")
    count = f"{len(details)} problem{'s' * (len(details) > 1)}"
    assert (caught.value.what, caught.value.do, caught.value.details) == (f"h.json has {count}", DO, details)


def test_text_that_is_no_json_is_named_with_its_line() -> None:
    with pytest.raises(UserError) as caught:
        read_history('{"iterations":\n  [}', source="h.json")
    assert caught.value.what == "h.json, line 2: not valid JSON: Expecting value"
    with pytest.raises(UserError, match="nested too deeply"):
        read_history("[" * 100_000, source="h.json")
