"""What the events of a change plan say to somebody who watches: one line each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thoughtforge.forge import events as f
from thoughtforge.kernel import events as e

MARKS = {"done": "✔", "failed": "✘", "skipped": "–"}


def plan_line(event: e.Event | e.Unknown) -> str:
    """The line of one event; empty for an event of another room."""
    make = LINES.get(type(event))
    return make(event) if make else ""


def _and(text: str) -> str:
    return f": {text}" if text else ""


def _left(paths: tuple[str, ...]) -> str:
    return f"; left as they are: {', '.join(paths)}" if paths else ""


def _blocking(audit: f.PlanAudited | f.PhaseAudited) -> str:
    """What blocks, by name."""
    told = (
        f"\n      {one.id} {one.title or one.description}"[:120] for one in audit.findings if one.severity == "blocking"
    )
    return "".join(told)


LINES: dict[type, Callable[[Any], str]] = {
    f.PlanResearched: lambda v: "  researched",
    f.PlanWritten: lambda v: f"  the plan was written by the {v.by}",
    f.DraftRefused: lambda v: f"  draft refused: {v.why}",
    f.PlanAudited: lambda v: f"  audit {v.round}: {v.outcome.replace('_', ' ')}, worst {v.severity}{_blocking(v)}",
    f.PlanMoved: lambda v: f"▶ {v.before} → {v.after}: {v.why}",
    f.PhasesMade: lambda v: f"  {len(v.phases)} phases",
    f.PhaseStarted: lambda v: f"▶ {v.phase}{_left(v.left)}",
    f.PhaseEnded: lambda v: f"{MARKS[v.outcome]} {v.phase}{_and(v.error)}",
    f.PhaseAudited: lambda v: f"  closing audit {v.round}: {v.outcome}, worst {v.severity}{_blocking(v)}",
    f.PhaseFixed: lambda v: f"  fix {v.round}: {v.outcome}{_and(v.why)}",
}
"""Event → its line."""
