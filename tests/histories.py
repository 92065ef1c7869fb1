"""Histories of a polish loop for tests, written as short as they can be."""

from __future__ import annotations

from typing import Any

from thoughtforge.catalog import extension
from thoughtforge.polish.history import GuardHit, History
from thoughtforge.polish.log_text import history_from


def counts(*rows: tuple[int, int, int], **fields: list[Any]) -> dict[str, Any]:
    """A history of (critical, medium, minor); other fields are lists with one value per iteration, None for none."""
    iterations: list[dict[str, Any]] = [dict(zip(("critical", "medium", "minor"), row, strict=True)) for row in rows]
    for name, values in fields.items():
        for iteration, value in zip(iterations, values, strict=True):
            if value is not None:
                iteration[name] = value
    return {"iterations": iterations}


def totals(*numbers: int) -> dict[str, Any]:
    """A history of minor findings only."""
    return counts(*((0, 0, number) for number in numbers))


def finding(severity: str, description: str, location: str = "", **more: Any) -> dict[str, Any]:
    """One finding as HISTORY.json has it."""
    return {"severity": severity, "description": description, "location": location, **more}


def listed(*iterations: list[dict[str, Any]], **fields: list[Any]) -> dict[str, Any]:
    """A history of findings; the counts are those of the findings."""
    rows = [
        tuple(sum(one["severity"] == severity for one in found) for severity in ("critical", "medium", "minor"))
        for found in iterations
    ]
    return counts(*rows, findings=list(iterations), **fields)  # type: ignore[arg-type]


def read(data: dict[str, Any]) -> History:
    """The history as guards get it."""
    return history_from(data)


def look(guard: str, data: dict[str, Any], **parameters: Any) -> GuardHit | None:
    """What one guard says after the last iteration."""
    module = extension("polish.guards", guard)
    hit: GuardHit | None = module.look(read(data), module.Options(**parameters))
    return hit
