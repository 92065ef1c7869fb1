"""One section of a plan from what was said; a slot nobody said anything about says so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.topics import touches
from thoughtforge.providers.builtin.unsaid import NOT_SAID

WORD = re.compile(r"\w{4,}")
UNSAID = f"({NOT_SAID})"
COLUMNS = ("objective", "plan", "assessment")
HOME = {"objective": 0, "constraints": 1, "assumptions": -1, "unknowns": -1, "context": 0}
"""List of an intent → the section its sentences go to when no word says better."""


def fill(section: Mapping[str, Any], intent: JsonObject, *, proposal: JsonObject) -> JsonObject:
    """The slots of a section; each sentence stands in one section, the one whose words it shares most."""
    heading = str(section["heading"])
    sections = proposal["structure"]
    if heading not in [each["name"] for each in sections]:
        sections = [*sections, {"name": heading, "purpose": str(section.get("purpose", heading))}]
    criteria = [criterion["text"] for criterion in proposal.get("criteria", ())]
    columns: dict[str, list[str]] = {column: [] for column in COLUMNS}
    for name, texts in _said(intent, proposal).items():
        column = "objective" if name == "objective" else "plan"
        columns[column] += [text for text in texts if _place(text, sections, home=HOME[name]) == heading]
    if heading == sections[0]["name"]:
        columns["objective"] = list(intent["objective"])  # a plan opens with all that is wanted
    columns["assessment"] = [text for text in criteria if _place(text, sections, home=0) == heading]
    content = {slot: "\n".join(dict.fromkeys(_column(columns, slot))) or NOT_SAID for slot in section["slots"]}
    return {"stuck": False, "content": content}


def _column(columns: Mapping[str, Sequence[str]], slot: str) -> Sequence[str]:
    return columns.get(slot.rpartition("_")[2], ())


def _said(intent: JsonObject, proposal: JsonObject) -> dict[str, list[str]]:
    """What was said, by list; what is unknown comes with the person's answer or says that there is none."""
    answers = {one["id"]: one["resolution"] for one in proposal["resolved"]}
    asked = [*intent["open_questions"], *intent["unknowns"]]
    unknowns = [f"{one['text']} {answers.get(one['id'], UNSAID)}".replace(f"{UNSAID} ", "") for one in asked]
    said = {name: list(intent[name]) for name in ("objective", "constraints", "assumptions")}
    context = [text for text in intent["context"] if not text.endswith(":")]  # a label without what it announces
    return {**said, "context": context, "unknowns": unknowns}


def _place(text: str, sections: Sequence[Mapping[str, str]], *, home: int) -> str:
    """The name of the section a sentence stands in."""
    scores = [_shared(text, section["name"], purpose=section["purpose"]) for section in sections]
    best = max(scores)
    if best == 0:
        return sections[home if -len(sections) <= home < len(sections) else 0]["name"]
    return sections[scores.index(best)]["name"]


@lru_cache(maxsize=20_000)  # every section of a plan asks for every sentence again
def _shared(text: str, name: str, *, purpose: str) -> int:
    """How many words a sentence and a section share; words of the section's topic count as shared."""
    wanted = {word.casefold() for word in WORD.findall(f"{name} {purpose}")}
    words = {word.casefold() for word in WORD.findall(text)}
    return 2 * touches(text, name) + len(words & wanted)
