"""HISTORY.json → a History. What is absent counts as in order; what is wrong is named with its place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Value
from thoughtforge.review.finding import SEVERITIES, Counts, Finding, Severity
from thoughtforge.review.history import History, Iteration
from thoughtforge.review.identity import history_of

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
        raise Mistake(f"{source}{line}: not valid JSON: {why}", do="Correct that line.") from error
    except RecursionError as error:
        raise Mistake(f"{source}: nested too deeply to be a history", do=f"Write it like {FORM}") from error
    return history_from(data, source=source)


def history_from(data: Mapping[str, Any], *, source: str = "history") -> History:
    """The history in parsed data, every finding with its id. Raises one Mistake that lists everything wrong."""
    try:
        file = HistoryFile.model_validate(data, strict=True)
    except ValidationError as error:
        problems = tuple(f"{_place(item['loc'])}: {_what(item)}" for item in error.errors())
        count = f"{len(problems)} problem{'s' * (len(problems) > 1)}"
        raise Mistake(f"{source} has {count}", do=f"Write it like {FORM}", details=problems) from error
    return history_of([_iteration(row) for row in file.iterations])


def _iteration(row: IterationRow) -> Iteration:
    counts = [getattr(row, severity) for severity in SEVERITIES]
    stated = None if None in counts else Counts(*counts)
    if row.findings is None:
        findings = tuple(
            Finding(severity, "") for severity, count in zip(SEVERITIES, counts, strict=True) for _ in range(count)
        )
    else:
        findings = tuple(Finding(**one.model_dump()) for one in row.findings)
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
