"""How long a person waits from a messy note to intent.md and plan.md: the installed command, without any set-up."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.command import run
from bench.figures import Figure

NOTES = Path(__file__).parents[1] / "tests" / "notes"
GOAL = 2.0
"""Seconds a person waits for a note at most."""
ENDS = (0, 3)
"""A draft waits for answers while questions are open."""


def measure(place: Path) -> list[Figure]:
    """Every note of the tests, each once and in a home of its own, after one that fills the caches."""
    notes = sorted(NOTES.glob("*.md"))
    _think(notes[0], place / "first")
    return [figure for note in notes for figure in _think(note, place / note.stem)]


def _think(note: Path, folder: Path) -> list[Figure]:
    folder.mkdir()
    shutil.copy(note, folder)
    cost = run("think", note.name, "--json", cwd=folder, ends=ENDS)
    return [
        Figure(f"think {note.name}, CPU", round(cost.cpu, 2), "s", GOAL),
        Figure(f"think {note.name}, wall", round(cost.wall, 2), "s", GOAL),
    ]
