"""Killed with SIGKILL at an event of a conversation: no word is lost, and the reply comes after all.

It is one event of each kind in each turn, with --every-boundary every single one.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
from pathlib import Path
from typing import NamedTuple

import pytest

from flows.crash_support import SITE
from flows.thoughts import INTENT, NOTE, PROPOSAL, Garden, agreed, make_app_at, make_garden
from harness.boundaries import Boundary, Choose
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.store.verify import verify

TURNS = (
    ("distill", "last"),
    ("say", "last", "Call it Balcony herbs."),
    ("confirm", "last"),
    ("say", "last", "Buy nothing new."),
)
"""What the person does; each turn ends with something shown to them."""
RULES = [
    {
        "when": {"context": ["form of intent", "Call it Balcony herbs"]},
        "reply": {**INTENT, "title": "Balcony herbs"},
    },
    {
        "when": {"context": ["form of proposal", "Buy nothing new"]},
        "reply": {**PROPOSAL, "exclusions": ["new pots"]},
    },
    *agreed(),
]


class Standing(NamedTuple):
    """Everything a crash must not change."""

    phase: str
    message: str
    said: list[tuple[str, str]]
    commits: list[str]
    damage: tuple[str, ...]


def standing(garden: Garden) -> Standing:
    """Where the only thought stands and what was said."""
    return Standing(
        phase=garden.view("status.json")["phase"],
        message=garden.view("chat_history.json")[-1]["content"],
        said=[(e["role"], e["text"]) for e in garden.events("said")],
        commits=garden.log(),
        damage=verify(garden.record).damage,
    )


def talk(garden: Garden, turns: tuple[tuple[str, ...], ...]) -> None:
    """Carry out these turns, undisturbed."""
    for turn in turns:
        assert garden.run(*turn).code == 3


def put_back(kept: Path, place: Path) -> None:
    """The same files at the same place: the record names places."""
    shutil.rmtree(place)
    shutil.copytree(kept, place, symlinks=True)


def doomed(garden: Garden, turn: tuple[str, ...], at: str) -> int:
    """Carry out the turn until `at`, where it is killed, or to its end; the exit code."""
    return garden.run(*turn, PYTHONPATH=str(SITE), CRASH=at).code


@pytest.mark.parametrize("number", range(len(TURNS)))
def test_a_conversation_killed_anywhere_goes_on_without_losing_a_word(
    number: int, choose: Choose, tmp_path: Path
) -> None:
    place, kept = tmp_path / "here", tmp_path / "kept"
    garden = make_garden(place)
    garden.script(*RULES)
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE, distill=False)))
    talk(garden, TURNS[:number])
    shutil.copytree(place, kept, symlinks=True)
    before = len(garden.events())
    talk(garden, TURNS[number : number + 1])
    expected, added = standing(garden), garden.events()[before:]
    boundaries = choose(added)
    assert len(boundaries) >= 4
    for boundary in boundaries:
        put_back(kept, place)
        assert (boundary, doomed(garden, TURNS[number], boundary.at)) == (boundary, -signal.SIGKILL)
        garden.run("resume", "last")
        assert (boundary, standing(garden)) == (boundary, expected)
    put_back(kept, place)
    assert doomed(garden, TURNS[number], Boundary(len(added) + 1, "before").at) == 3
    assert standing(garden) == expected
