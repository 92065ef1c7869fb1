"""How long the builtin provider takes from a messy note to intent.md and plan.md."""

from __future__ import annotations

import time
from pathlib import Path

from bench.figures import Figure
from thoughtforge.catalog import Catalog
from thoughtforge.deliverables.plan import accept, choose, outlines, render
from thoughtforge.intake.intent_text import intent_text
from thoughtforge.providers.builtin import BuiltinModel

NOTES = Path(__file__).parents[1] / "tests" / "notes"
GOAL = 2_000
"""Milliseconds a person waits for a note at most."""


def measure(place: Path) -> list[Figure]:
    """Every note of the tests, each once; the slowest counts."""
    times = {note.stem: _plan(note.read_text(encoding="utf-8"), place) for note in sorted(NOTES.glob("*.md"))}
    slowest = max(times, key=lambda name: times[name])
    return [Figure(f"slowest note to a plan ({slowest})", round(times[slowest], 1), "ms", GOAL)]


def _plan(note: str, place: Path) -> float:
    start = time.perf_counter()
    model, catalog = BuiltinModel(), Catalog(project={}, user=None)
    intent = model.answer("distill", {"messages": [note]})
    proposal = model.answer("propose", {"intent": intent, "templates": outlines(catalog)})
    template = choose(catalog, proposal["plan_kind"]).template
    filled: dict[str, str] = {}
    for section in template.sections:
        given = {"section": section._asdict(), "intent": intent, "proposal": proposal}
        filled |= accept(section, model.answer("plan_section", given)["content"], allowed=model.leaves).content
    (place / "intent.md").write_text(intent_text(intent), encoding="utf-8")
    (place / "plan.md").write_text(render(template, filled, title=intent["title"]), encoding="utf-8")
    return (time.perf_counter() - start) * 1000
