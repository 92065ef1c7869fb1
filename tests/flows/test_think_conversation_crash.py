"""Killed with SIGKILL at every event of a conversation: no word is lost, and the reply comes after all."""

from __future__ import annotations

import asyncio
import shutil
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.crash_support import SITE
from flows.thoughts import INTENT, NOTE, PROPOSAL, Garden, agreed, make_app_at, make_garden
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


def killed(garden: Garden, turn: tuple[str, ...], at: str) -> bool:
    """Whether the turn died at that moment; it has ended by itself when there is none."""
    ended: Any = garden.run(*turn, PYTHONPATH=str(SITE), CRASH=at)
    assert ended.code in (-signal.SIGKILL, 3), ended.err
    return bool(ended.code == -signal.SIGKILL)


@pytest.mark.parametrize("number", range(len(TURNS)))
def test_a_conversation_killed_anywhere_goes_on_without_losing_a_word(number: int, tmp_path: Path) -> None:
    place, kept = tmp_path / "here", tmp_path / "kept"
    garden = make_garden(place)
    garden.script(*RULES)
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE, distill=False)))
    talk(garden, TURNS[:number])
    shutil.copytree(place, kept, symlinks=True)
    talk(garden, TURNS[number : number + 1])
    expected = standing(garden)
    deaths = 0
    for moment in ("before", "after"):
        put_back(kept, place)
        count = 1
        while killed(garden, TURNS[number], at := f"os.rename head {count} {moment}"):
            garden.run("resume", "last")
            assert (at, standing(garden)) == (at, expected)
            put_back(kept, place)
            count, deaths = count + 1, deaths + 1
    assert deaths >= 2 * 4
