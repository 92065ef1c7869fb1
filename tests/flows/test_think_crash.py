"""Killed with SIGKILL at an event of a run: it goes on to the same plan or code, the same commits and words.

It is one event of each kind, with --every-boundary every single one. A process that dies at the last of several events
leaves copies of the files at those before; with --every-boundary a process of its own dies at each.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.code_thoughts import WISH
from flows.code_thoughts import rules as code_rules
from flows.crash_support import deaths
from flows.thoughts import FINDING, NOTE, Garden, agreed, built, make_garden, polished, review
from harness.boundaries import Boundary, Choose, neighbours
from thoughtforge.deliverables.code.files import sources
from thoughtforge.store.verify import verify
from thoughtforge.workspaces.project import Project

CHUNKS = {"plan": 2, "code": 4}
"""Into how many tests the boundaries are dealt, so that they spread over the workers."""
UNFIXED = "steps plan of the herbs"
RULES = [
    *agreed(),
    *built(),
    {"when": {"context": ["form of plan_review", UNFIXED]}, "reply": review({**FINDING, "severity": "critical"})},
    *polished()[1:],
]
"""Replies that follow from what is shown alone: a script that begins anew in another process says the same."""


class Outcome(NamedTuple):
    """Everything a crash must not change."""

    phase: str
    files: dict[str, str]
    commits: list[str]
    said: list[tuple[str, str]]
    reviews: list[tuple[int, str, str]]
    polished: dict[str, Any]
    damage: tuple[str, ...]


def outcome(garden: Garden, done: dict[str, Any]) -> Outcome:
    """What came of the only thought."""
    polished = garden.json("inspect", "last", "--artifact", "polished")["artifacts"]["polished"]
    return Outcome(
        phase=done["phase"],
        files={**files_of(garden.project)},
        commits=garden.log(),
        said=[(e["code"], e["text"].replace(str(garden.project), "PROJECT")) for e in garden.events("said")],
        reviews=[(e["iteration"], e["outcome"], e["guard"]) for e in garden.events("polish_reviewed")],
        polished={key: value for key, value in polished.items() if key != "commit"},
        damage=verify(garden.record).damage,
    )


def files_of(project: Path) -> dict[str, str]:
    """The deliverable: the plan, and every file of code."""
    plan = project / "docs" / "plan.md"
    code = asyncio.run(sources(Project(project, path=os.environ["PATH"])))
    return {**code, **({"plan.md": plan.read_text()} if plan.is_file() else {})}


def prepared(folder: Path, kind: str) -> Garden:
    """A place with the script and the note."""
    garden = make_garden(folder)
    garden.script(*(RULES if kind == "plan" else code_rules()))
    garden.note(NOTE if kind == "plan" else WISH)
    return garden


Wholes = Callable[[str], tuple[Outcome, list[Boundary]]]


@pytest.fixture(scope="session")
def wholes(tmp_path_factory: pytest.TempPathFactory, choose: Choose) -> Wholes:
    """A run of each kind nobody disturbed, and where those that die are killed."""

    @cache
    def whole(kind: str) -> tuple[Outcome, list[Boundary]]:
        garden = prepared(tmp_path_factory.mktemp(kind), kind)
        found = outcome(garden, garden.json("think", "notes.md"))
        events = garden.events()
        written = next(e["seq"] for e in events if e["type"] == "runner_started") - 1
        return found, choose(events, after=written)

    return whole


def repeated(garden: Garden) -> int:
    """Calls that were begun again after they had ended."""
    ended = {e["call"] for e in garden.events("call_ended")}
    keys = [e["key"] for e in garden.events("call_started") if e["call"] in ended]
    return len(keys) - len(set(keys))


@pytest.mark.parametrize(("kind", "chunk"), [(kind, chunk) for kind, many in CHUNKS.items() for chunk in range(many)])
def test_a_thought_killed_anywhere_ends_the_same(
    kind: str, chunk: int, wholes: Wholes, tmp_path: Path, pytestconfig: Any
) -> None:
    expected, boundaries = wholes(kind)
    place = tmp_path / "here"
    garden = prepared(place, kind)
    every = bool(pytestconfig.getoption("--every-boundary"))
    begin = partial(garden.run, "think", "notes.md", "--json")
    for boundary in deaths(place, begin, neighbours(boundaries, chunk, CHUNKS[kind]), every=every):
        # after its last event the thought is done, and `continue` would open a further round
        over = garden.events()[-1]["type"] == "runner_stopped"
        done = garden.json("status" if over else "resume", "last")
        assert (boundary, outcome(garden, done)) == (boundary, expected)
        assert (boundary, repeated(garden)) == (boundary, 0)
