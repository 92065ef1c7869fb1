"""Twelve messy notes, and what of a view of them is neither the person's words nor one of our fixed texts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from thoughtforge.providers.builtin.sentences import INTENT_TEXTS
from thoughtforge.think.texts import INTENT_FRAME

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.md"))
OWN = sorted((*INTENT_FRAME, *INTENT_TEXTS), key=len, reverse=True)
MARK = re.compile(r"^\s*(?:[-*+]|#+|>+)\s+", re.MULTILINE)


def note(name: str) -> str:
    """One of them."""
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


def flat(text: str) -> str:
    """The text with single spaces."""
    return " ".join(text.split())


def lost(text: str, view: str) -> list[str]:
    """What the note says and the view does not."""
    return [part for part in fragments(text) if part not in flat(view)]


def fragments(text: str) -> list[str]:
    """What a line of a note says, cut at every mark: smaller than a sentence or one."""
    parts = [part for line in MARK.sub("", text).splitlines() for part in re.split(r"(?<=[.!?])\s+|(?<=。)", line)]
    return [flat(part) for part in parts if any(letter.isalnum() for letter in part)]


def foreign(view: str, text: str) -> list[str]:
    """Lines of a view that are neither the person's words nor one of the fixed texts."""
    own = flat(MARK.sub("", text))
    return [line for line in view.splitlines() if _foreign(line, own)]


def _foreign(line: str, own: str) -> bool:
    said = re.sub(r"^\*\*(?:[UQ]|OBJ|CON)-\d+\*\* ", "", MARK.sub("", line).strip())
    if flat(said) in own:
        return False
    for frame in OWN:
        said = said.replace(frame, " / ")
    parts = [part.strip(" .*") for part in re.split(r"[“”/]|, ", said)]
    return any(flat(part) not in own for part in parts if part)


MESSY = FOLDER / "messy"


def expected() -> dict[str, dict[str, Any]]:
    """What must and must not come out of each messy note."""
    found: dict[str, dict[str, Any]] = yaml.safe_load((MESSY / "expected.yaml").read_text(encoding="utf-8"))
    return found


def messy(name: str) -> str:
    """One of the messy notes."""
    return (MESSY / f"{name}.md").read_text(encoding="utf-8")
