"""polish_log.md: what happened in a polish loop, for people. A view, rewritten each time and never read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value
from thoughtforge.polish.finding import SEVERITIES, Counts, Ran, ReviewFinding, Severity
from thoughtforge.polish.history import History, Iteration
from thoughtforge.polish.matching import history_of


class LogEntry(NamedTuple):
    """One iteration."""

    number: int
    time: str
    """ISO 8601."""
    counts: Counts
    guard: str
    """The guard that ended the loop, or `none`."""
    result: str
    """What it said."""
    found: tuple[ReviewFinding, ...] = ()
    aside: tuple[ReviewFinding, ...] = ()
    """Set aside because their place does not exist; shown all the same."""
    fixes: str | None = None
    """What was fixed; None while the fix is still to come."""
    tests: Ran | None = None
    """Only for code."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Such as counts stated by the reviewer that differ from its findings."""


class Resumed(NamedTuple):
    """A person let a halted loop go on, or wants more of one that was done."""

    time: str
    guard: str
    """What halted it; empty when it was done."""
    iteration: int


def log_text(entries: Iterable[LogEntry | Resumed]) -> str:
    """The whole file."""
    parts = [_resumed(one) if isinstance(one, Resumed) else _entry(one) for one in entries]
    return "\n".join(["# Polish log\n", *parts])


def _resumed(resumed: Resumed) -> str:
    if not resumed.guard:
        return f"## Reopened at {resumed.time} — Done at iteration {resumed.iteration}, reopened by human\n"
    halted = f"Halted by {_flat(resumed.guard)} at iteration {resumed.iteration}"
    return f"## Resumed at {resumed.time} — {halted}, resumed by human\n"


def _entry(entry: LogEntry) -> str:
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


def _list(findings: Sequence[ReviewFinding]) -> str:
    return "; ".join(_flat(finding.line()) for finding in findings) or "none"


def _tests(ran: Ran | None) -> str:
    return f"{ran.total} total, {ran.passed} passed, {ran.failed} failed" if ran else ""


def _flat(text: str) -> str:
    """One line: nothing a reviewer writes can begin a heading or a list of its own."""
    return " ".join(text.split())


FORM = '{"iterations": [{"critical": 0, "medium": 3, "minor": 5}]}'
MOST = 10_000
"""More findings than this in one review are a mistake, not a review."""
Count = Field(default=None, ge=0, le=MOST)


class FindingRow(Value):
    """One finding of an iteration."""

    severity: Severity
    description: str
    location: str = ""
    exists: bool = True
    recommendation: str = ""
    title: str = ""
    id: str = ""


class IterationRow(Value):
    """One iteration; the counts are needed unless the findings are there."""

    critical: int | None = Count
    medium: int | None = Count
    minor: int | None = Count
    findings: list[FindingRow] | None = Field(default=None, max_length=MOST)
    size: int | None = Field(default=None, ge=0)
    hash: str | None = None
    full: bool | None = None
    tests_passed: bool | None = None
    spent: float | None = Field(default=None, ge=0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _says_enough(self) -> IterationRow:
        names = [finding.id for finding in self.findings or () if finding.id]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            raise PydanticCustomError("twice", "findings have the same id: {names}", {"names": ", ".join(twice)})
        absent = [severity for severity in SEVERITIES if getattr(self, severity) is None]
        if self.findings is None and absent:
            needed = {"names": ", ".join(absent)}
            raise PydanticCustomError("absent", "needs {names}, or the findings themselves", needed)
        return self


class HistoryFile(Value):
    """The whole file."""

    iterations: list[IterationRow]


def read_history(text: str, *, source: str) -> History:
    """The history in a file's text."""
    try:
        data = json.loads(text)
    except ValueError as error:
        line = f", line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise UserError(f"{source}{line}: not valid JSON: {why}", do="Correct that line.") from error
    except RecursionError as error:
        raise UserError(f"{source}: nested too deeply for a history", do=f"Write it like {FORM}") from error
    return history_from(data, source=source)


def history_from(data: Mapping[str, Any], *, source: str = "history") -> History:
    """The history in parsed data, every finding with its id. Raises one UserError that lists everything wrong."""
    try:
        file = HistoryFile.model_validate(data, strict=True)
    except ValidationError as error:
        problems = tuple(f"{_place(item['loc'])}: {_what(item)}" for item in error.errors())
        count = f"{len(problems)} problem{'s' * (len(problems) > 1)}"
        raise UserError(f"{source} has {count}", do=f"Write it like {FORM}", details=problems) from error
    return history_of([_iteration(row) for row in file.iterations])


def _iteration(row: IterationRow) -> Iteration:
    counts = [getattr(row, severity) for severity in SEVERITIES]
    stated = None if None in counts else Counts(*counts)
    if row.findings is None:
        findings = tuple(
            ReviewFinding(severity, "")
            for severity, count in zip(SEVERITIES, counts, strict=True)
            for _ in range(count)
        )
    else:
        findings = tuple(ReviewFinding(**one.model_dump()) for one in row.findings)
    return Iteration(
        findings=findings,
        itemised=row.findings is not None,
        stated=stated,
        size=row.size,
        hash=row.hash,
        full=row.full is not False,
        tests_passed=row.tests_passed is not False,
        spent=row.spent or 0.0,
    )


def _place(path: tuple[int | str, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".") or "file"


def _what(item: Any) -> str:
    if item["type"] == "extra_forbidden":
        return "unknown key"
    if item["type"] in ("twice", "absent"):
        return str(item["msg"])
    if item["type"] == "missing":
        return "is missing"
    if item["type"] == "model_type":
        return f"expected keys and values, got {type(item['input']).__name__}"
    message = item["msg"].replace("Input should be", "expected")
    return f"{message[:1].lower()}{message[1:]}, got {str(item['input'])[:60]!r}"
