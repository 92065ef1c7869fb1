"""Findings and reports: the engine counts for itself."""

from __future__ import annotations

from typing import Any

import pytest

from thoughtforge.catalog import Catalog
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.polish.finding import Counts, Ran, ReviewFinding, ReviewReport, divergence, read_report

ISSUE = {"severity": "medium", "description": "No date.", "location": "Opening", "recommendation": "Set one."}


def contract(name: str) -> Contract:
    file = Catalog(project={}, user=None).find("contracts", name)
    return load(file.text, source=file.path)


def answer(*issues: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"critical": 0, "medium": 0, "minor": 0, "issues": list(issues), **more}


def test_counts_come_from_the_findings_and_stated_ones_are_only_compared() -> None:
    read = read_report(answer(ISSUE, {**ISSUE, "severity": "critical"}), contract("plan_review"))
    assert read.problems == ()
    assert read.report is not None
    assert read.report.counts == Counts(1, 1, 0)
    assert read.report.diverges == (
        "the reviewer states 0 critical, 0 medium, 0 minor, its findings are 1 critical, 1 medium, 0 minor"
    )


def test_a_report_has_what_the_reviewer_wrote() -> None:
    tests = {"total": 3, "passed": 2, "failed": 1}
    read = read_report(answer({**ISSUE, "title": "Date"}, medium=1, tests=tests), contract("code_review"))
    found = ReviewFinding("medium", "No date.", "Opening", "Set one.", title="Date")
    assert read.report == ReviewReport((found,), Counts(0, 1, 0), Ran(3, 2, 1))
    assert read.report.diverges == ""


@pytest.mark.parametrize("wrong", [None, {}, {"issues": []}, answer({**ISSUE, "severity": "high"})])
def test_an_answer_that_cannot_be_read_is_never_a_clean_report(wrong: dict[str, Any] | None) -> None:
    read = read_report(wrong, contract("plan_review"))
    assert read.report is None
    assert read.problems


def test_three_divergences_running_are_a_pattern() -> None:
    honest, wrong = ReviewReport((), Counts(0, 0, 0)), ReviewReport((), Counts(0, 0, 1))
    told = "the reviewer states 0 critical, 0 medium, 1 minor, its findings are 0 critical, 0 medium, 0 minor"
    assert divergence([]) == divergence([wrong, honest]) == ""
    assert divergence([wrong, wrong]) == divergence([wrong, wrong, honest, wrong]) == told
    assert divergence([honest, wrong, wrong, wrong]) == f"{told}; this is a pattern: 3 reviews in a row"
