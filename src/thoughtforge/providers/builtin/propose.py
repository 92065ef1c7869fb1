"""A proposal and the sections of a plan from what was said; a slot nobody said anything about says so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.distil import contradictions
from thoughtforge.providers.builtin.sentences import (
    KIND_DECISION,
    KIND_REASON,
    KIND_TITLE,
    NOT_SAID,
    SEVERITY,
    TWO_SAY,
    WHICH_HOLDS,
    cue,
    pieces,
    touches,
)
from thoughtforge.providers.builtin.sorting import language, plan_kind

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


STATED = re.compile(
    r"^\W*(?:AC|(?:acceptance )?criterion|criteria|kriterium|criterio)(?:-\d+)?\s*:\s*(.+)$", re.IGNORECASE
)
SETTLES = re.compile(r"^\W*([UQC]-[1-9]\d*)\s*[:.)=–—-]\s*(.+)$", re.IGNORECASE | re.DOTALL)


def answers_in(messages: Sequence[str]) -> dict[str, str]:
    """Answers given by id, one to a line: `Q-1: in May`; the latest counts."""
    lines = [SETTLES.match(line) for message in messages for line in message.splitlines()]
    return {found.group(1).upper(): found.group(2).strip() for found in lines if found}


def propose(
    intent: JsonObject,
    answers: Mapping[str, str],
    *,
    said: Sequence[str] = (),
    templates: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
) -> JsonObject:
    """A proposal in the person's words. `said` are their messages about it, `templates` the sections of each kind."""
    stated = [text for key in ("objective", "assumptions", "constraints", "context") for text in intent[key]]
    is_plan = intent["deliverable_type"] == "plan"
    kind = plan_kind([intent["title"], *stated], list(templates or {})) if is_plan else None
    challenges = _challenges(intent)
    settled = {**answers_in(said), **answers}
    return {
        "plan_kind": kind,
        "language": None if is_plan else language(stated),
        "overview": " ".join(intent["objective"]) or intent["title"],
        "structure": _structure(intent, kind, templates=templates or {}),
        "decisions": _decisions(kind),
        "challenges": [{**challenge, "resolution": settled.get(challenge["id"], "")} for challenge in challenges],
        "resolved": [
            {"id": one["id"], "resolution": settled[one["id"]], "by": "person"}
            for one in _asked(intent, challenges)
            if one["id"] in settled
        ],
        "open": [one for one in _asked(intent, challenges) if one["id"] not in settled],
        "dependencies": _with("depends", stated),
        "scope": {"in": list(intent["objective"]), "out": _with("outside", stated)},
        "priorities": _with("important", stated),
        "exclusions": _with("alone", stated),
        "severity": dict(SEVERITY),
        "criteria": _criteria(intent, said),
        "components": [],
    }


def _structure(
    intent: JsonObject, kind: str | None, *, templates: Mapping[str, Sequence[Mapping[str, str]]]
) -> list[JsonObject]:
    sections = templates.get(kind or "", ())
    if sections:
        return [{"name": section["name"], "purpose": section["purpose"]} for section in sections]
    return [{"name": intent["title"], "purpose": intent["objective"][0] if intent["objective"] else NOT_SAID}]


def _decisions(kind: str | None) -> list[JsonObject]:
    if kind is None:
        return []
    return [{"id": "D-1", "title": KIND_TITLE, "decision": f"{KIND_DECISION}{kind}", "reason": KIND_REASON}]


def _challenges(intent: JsonObject) -> list[JsonObject]:
    pairs = contradictions([*intent["constraints"], *intent["objective"]])
    asked = " ".join(one["text"] for key in ("unknowns", "open_questions") for one in intent[key])
    return [
        {
            "id": f"C-{number}",
            "area": "contradictions",
            "concern": f"{WHICH_HOLDS} “{pair.one}” / “{pair.other}”",
            "reasoning": TWO_SAY,
        }
        for number, pair in enumerate((pair for pair in pairs if pair.one not in asked), 1)
    ]


def _asked(intent: JsonObject, challenges: Sequence[JsonObject]) -> list[dict[str, Any]]:
    """Everything somebody has to settle, by id."""
    own = [*intent["open_questions"], *intent["unknowns"]]
    return [
        *({"id": one["id"], "question": one["text"]} for one in own),
        *({"id": one["id"], "question": one["concern"]} for one in challenges),
    ]


def _with(name: str, texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if cue(name).search(text)))


def _criteria(intent: JsonObject, said: Sequence[str]) -> list[JsonObject]:
    """Only what the person said must or should be; when they said nothing of the kind there is none."""
    lines = [STATED.match(line) for message in said for line in message.splitlines()]
    stated = [found.group(1).strip() for found in lines if found]
    spoken = [piece.text for message in said for piece in pieces(message) if piece.kind == "sentence"]
    later = [text for text in spoken if not STATED.match(text) and not SETTLES.match(text)]
    texts = [*_with("criterion", [*intent["constraints"], *intent["objective"], *later]), *stated]
    return [{"id": f"AC-{number}", "text": text} for number, text in enumerate(dict.fromkeys(texts), 1)]
