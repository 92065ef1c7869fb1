"""A figure: what was measured, and whether that is good enough."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Figure(NamedTuple):
    """One measured value. Smaller is better for all of them; without a goal it is there to be known."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    """The most it may be."""

    @property
    def ok(self) -> bool | None:
        """Whether the goal is reached; None when there is none."""
        return None if self.goal is None else self.value <= self.goal

    @property
    def line(self) -> str:
        """One row of the table."""
        word = {True: "ok", False: "MISSED", None: ""}[self.ok]
        goal = "" if self.goal is None else f"≤ {self.goal:g}"
        return f"{self.name:<44} {self.value:>10g} {self.unit:<8} {goal:<9} {word}".rstrip()


def write(figures: Iterable[Figure], out: Path) -> None:
    """name → value, unit, goal and ok, as JSON."""
    rows: dict[str, dict[str, Any]] = {
        figure.name: {"value": figure.value, "unit": figure.unit, "goal": figure.goal, "ok": figure.ok}
        for figure in figures
    }
    out.write_text(json.dumps(rows, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
