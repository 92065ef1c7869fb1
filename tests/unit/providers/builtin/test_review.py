"""A review by rules finds what is empty or unsaid, and nothing else."""

from typing import Any

import pytest

from thoughtforge.providers.builtin.review import completeness, fix, review


def plan(*cells: str, header: str = "| Objective | Plan | Assessment |") -> str:
    return f"# Garden\n\n## Beds\n\n{header}\n|---|---|---|\n| {' | '.join(cells)} |\n"


def found(document: str, intent: dict[str, Any] | None = None) -> list[tuple[str, str, str]]:
    return [(one["severity"], one["description"], one["location"]) for one in review(document, intent)["issues"]]


def test_a_full_section_has_no_finding() -> None:
    whole = plan("a", r"b \| c", "d")
    assert review(whole) == {"critical": 0, "medium": 0, "minor": 0, "issues": []}
    assert completeness(whole) == {"pass": True, "reasons": []}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (plan("a", "", "c"), [("medium", "Plan is empty.", "Beds")]),
        (plan("a", "b", "not said yet"), [("minor", "Assessment: not said yet.", "Beds")]),
        (plan("TBD", "b", "c"), [("medium", "Objective holds a placeholder.", "Beds")]),
        (plan("a", "b"), [("medium", "The table lacks a column.", "Beds")]),
        ("## Beds\n\ntext\n", [("medium", "The section has no table of Objective, Plan and Assessment.", "Beds")]),
        ("", [("critical", "The document is empty.", "")]),
    ],
)
def test_what_is_missing_is_found(document: str, expected: list[tuple[str, str, str]]) -> None:
    assert found(document) == expected
    counts = review(document)
    assert sum(counts[severity] for severity in ("critical", "medium", "minor")) == 1


def test_statements_of_the_intent_that_speak_against_each_other_are_found() -> None:
    intent = {"constraints": ["At most 4 beds.", "At least 6 beds."], "objective": []}
    said = "Two statements speak against each other: “At most 4 beds.” and “At least 6 beds.”"
    assert found(plan("a", "b", "c"), intent) == [("medium", said, "")]


def test_a_fix_changes_nothing_and_says_what_is_left() -> None:
    issue = {"severity": "minor", "description": "d", "location": "l", "recommendation": "r"}
    assert fix("text", [issue]) == {"document": "text", "left": [issue]}


@pytest.mark.parametrize(
    ("document", "reasons"),
    [
        ("# Shopping\n\n- milk\n", ["There is no table of Objective, Plan and Assessment in the document."]),
        (plan("a", "not said yet", ""), ["Beds: Plan: not said yet.", "Beds: Assessment is empty."]),
    ],
)
def test_an_incomplete_plan_says_why(document: str, reasons: list[str]) -> None:
    assert completeness(document) == {"pass": False, "reasons": reasons}
