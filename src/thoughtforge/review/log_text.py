"""polish_log.md: what happened in a polish loop, for people. A view, written anew each time and never read back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thoughtforge.review.finding import Counts, Finding, Ran


class Entry(NamedTuple):
    """One iteration."""

    number: int
    time: str
    """ISO 8601."""
    counts: Counts
    guard: str
    """The guard that ended the loop, or `none`."""
    result: str
    """What it said."""
    found: tuple[Finding, ...] = ()
    aside: tuple[Finding, ...] = ()
    """Set aside because their place does not exist; shown all the same."""
    fixes: str | None = None
    """What was fixed; None while the fix is still to come."""
    tests: Ran | None = None
    """Only for code."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Such as counts stated by the reviewer that differ from its findings."""


class Resumed(NamedTuple):
    """A person let a halted loop go on."""

    time: str
    guard: str
    iteration: int


def log_text(entries: Iterable[Entry | Resumed]) -> str:
    """The whole file."""
    parts = [_resumed(one) if isinstance(one, Resumed) else _entry(one) for one in entries]
    return "\n".join(["# Polish log\n", *parts])


def _resumed(resumed: Resumed) -> str:
    halted = f"Halted by {_flat(resumed.guard)} at iteration {resumed.iteration}"
    return f"## Resumed at {resumed.time} — {halted}, resumed by human\n"


def _entry(entry: Entry) -> str:
    rows = [
        ("Timestamp", entry.time),
        ("Error Counts", f"{entry.counts.words()} ({entry.counts.total} total)"),
        ("Guard Evaluated", f"{entry.guard} — {_flat(entry.result)}"),
        ("Warnings", ", ".join(entry.warnings)),
        ("Notes", "; ".join(map(_flat, entry.notes))),
        ("Issues Found", _list(entry.found)),
        ("Set Aside", _list(entry.aside) if entry.aside else ""),
        ("Fixes Applied", "not yet" if entry.fixes is None else _flat(entry.fixes) or "none"),
        ("Test Results", _tests(entry.tests)),
    ]
    lines = [f"**{name}:** {text}" for name, text in rows if text]
    return f"## Iteration {entry.number}\n\n" + "  \n".join(lines) + "\n"


def _list(findings: Sequence[Finding]) -> str:
    return "; ".join(_flat(finding.line()) for finding in findings) or "none"


def _tests(ran: Ran | None) -> str:
    return f"{ran.total} total, {ran.passed} passed, {ran.failed} failed" if ran else ""


def _flat(text: str) -> str:
    """One line: nothing a reviewer writes can begin a heading or a list of its own."""
    return " ".join(text.split())
