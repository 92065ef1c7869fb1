"""polish_log.md as people read it."""

from __future__ import annotations

from thoughtforge.polish.finding import Counts, Ran, ReviewFinding
from thoughtforge.polish.log_text import LogEntry, Resumed, log_text

WHEN = "2026-01-02T03:04:05Z"


def test_the_log_of_a_plan_that_was_halted_and_resumed() -> None:
    date = ReviewFinding("medium", "No date\n## Fake heading", "Opening", id="F-001")
    gone = ReviewFinding("critical", "Lost", "Nowhere", id="F-002", exists=False)
    first = LogEntry(1, WHEN, Counts(0, 1, 0), "none", "No guard ends the loop.", (date,), fixes="A date is set.")
    second = LogEntry(
        2, WHEN, Counts(0, 0, 0), "survivor", "It stays.", aside=(gone,), warnings=("fabrication",), notes=("odd",)
    )
    assert log_text([first, second, Resumed(WHEN, "survivor", 2)]).splitlines() == [
        "# Polish log",
        "",
        "## Iteration 1",
        "",
        f"**Timestamp:** {WHEN}  ",
        "**Error Counts:** 0 critical, 1 medium, 0 minor (1 total)  ",
        "**Guard Evaluated:** none — No guard ends the loop.  ",
        "**Issues Found:** F-001 medium: No date ## Fake heading (Opening)  ",
        "**Fixes Applied:** A date is set.",
        "",
        "## Iteration 2",
        "",
        f"**Timestamp:** {WHEN}  ",
        "**Error Counts:** 0 critical, 0 medium, 0 minor (0 total)  ",
        "**Guard Evaluated:** survivor — It stays.  ",
        "**Warnings:** fabrication  ",
        "**Notes:** odd  ",
        "**Issues Found:** none  ",
        "**Set Aside:** F-002 critical: Lost (Nowhere)  ",
        "**Fixes Applied:** not yet",
        "",
        f"## Resumed at {WHEN} — Halted by survivor at iteration 2, resumed by human",
    ]


def test_the_log_of_code_has_the_tests() -> None:
    entry = LogEntry(1, WHEN, Counts(0, 0, 0), "termination", "Done.", fixes="", tests=Ran(3, 2, 1))
    assert log_text([entry]).splitlines()[-2:] == [
        "**Fixes Applied:** none  ",
        "**Test Results:** 3 total, 2 passed, 1 failed",
    ]
