"""A proposal from what was said: its sections are those something is known about, and what is open is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.answers import SETTLES, AskedPoint, disputed, read
from thoughtforge.providers.builtin.contradictions import contradictions
from thoughtforge.providers.builtin.placing import known_sections, place
from thoughtforge.providers.builtin.sentences import (
    GAPS,
    KIND_DECISION,
    KIND_REASON,
    KIND_TITLE,
    LEFT_OPEN,
    NO_CRITERIA,
    NOT_CONTENT,
    OPEN_POINTS,
    OPEN_PURPOSE,
    OUTVOTED,
    SEVERITY,
    TWO_SAY,
    WHICH_HOLDS,
    cue,
    pieces,
)
from thoughtforge.providers.builtin.settling import applied, verdicts
from thoughtforge.providers.builtin.sorting import DUTY, language, plan_kind

STATED = re.compile(
    r"^\W*(?:AC|(?:acceptance )?criterion|criteria|kriterium|criterio)(?:-\d+)?\s*:\s*(.+)$", re.IGNORECASE
)
MOST_ASKED = 8
"""Points a person is asked about; the rest is listed as open unless they settle it by its id."""


class ToldAnswers(NamedTuple):
    """What the messages about a proposal come to."""

    settled: dict[str, str]
    rest: tuple[str, ...]
    """What answers nothing."""


def propose(
    intent: JsonObject,
    answers: Mapping[str, str],
    *,
    said: Sequence[str] = (),
    doubts: Sequence[Mapping[str, Any]] = (),
    templates: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    resources: Sequence[Mapping[str, Any]] = (),
) -> JsonObject:
    """A proposal in the person's words. `said` are their messages about it, `templates` the sections of each kind.

    `doubts` are those of the proposal before: a person answers by id, so the same doubt keeps its id.
    """
    stated = [text for key in ("objective", "assumptions", "constraints", "context") for text in intent[key]]
    stated = [text for text in stated if not text.startswith(NOT_CONTENT)]
    is_plan = intent["deliverable_type"] == "plan"
    kind = plan_kind([intent["title"], *stated], list(templates or {})) if is_plan else None
    challenges = _challenges(intent, doubts)
    asked = _asked(intent, challenges)
    told = _told(said, asked)
    settled = {**told.settled, **answers}
    resolved = _resolved(asked, settled)
    becomes = verdicts({one.text: settled[one.id] for one in asked if one.id in settled})
    lost = frozenset(text for text, now in becomes.items() if not now)
    stated = [now for text in stated if (now := applied(text, becomes))]
    aims = [now for text in intent["objective"] if (now := applied(text, becomes))]
    proposal: JsonObject = {
        "plan_kind": kind,
        "language": None if is_plan else language(stated),
        "overview": " ".join(aims) or intent["title"],
        "structure": [{"name": intent["title"], "purpose": (aims or [intent["title"]])[0]}],
        "decisions": _decisions(kind),
        "challenges": [{**challenge, "resolution": settled.get(challenge["id"], "")} for challenge in challenges],
        "resolved": resolved,
        "open": [
            {"id": one.id, "question": one.text} for one in asked if one.id not in {row["id"] for row in resolved}
        ],
        "dependencies": _with("depends", stated),
        "scope": {"in": aims, "out": _outside(stated)},
        "priorities": _with("important", stated),
        "exclusions": _with("alone", stated),
        "severity": dict(SEVERITY),
        "criteria": _criteria(intent, told.rest, settled, lost=frozenset(becomes) | disputed(settled, asked)),
        "components": [],
    }
    sections = (templates or {}).get(kind or "", ())
    if sections:
        proposal["structure"] = [
            *known_sections(sections, intent, proposal, resources=resources),
            *_open_points(proposal),
        ]
    own = [section for section in proposal["structure"] if section["name"] != OPEN_POINTS]
    return {**proposal, **_traces(intent, proposal, own, lost=lost)}


def _traces(
    intent: JsonObject, proposal: JsonObject, sections: Sequence[JsonObject], *, lost: frozenset[str]
) -> JsonObject:
    """Where each objective and constraint went; what an answer took away is left out."""
    criteria = {one["text"]: one["id"] for one in proposal["criteria"]}
    points = [(f"OBJ-{at}", text, "scope") for at, text in enumerate(intent["objective"], 1)]
    points += [(f"CON-{at}", text, "") for at, text in enumerate(intent["constraints"], 1)]
    return {
        "traced": [
            {
                "id": name,
                "in": [
                    criteria.get(text.removeprefix(NO_CRITERIA).strip())
                    or part
                    or place(text, sections, home="constraints")
                ],
            }
            for name, text, part in points
            if text not in lost
        ],
        "left_out": [{"id": name, "reason": OUTVOTED} for name, text, _ in points if text in lost],
    }


def _told(said: Sequence[str], asked: Sequence[AskedPoint]) -> ToldAnswers:
    """The answers in the messages, each read against what was open then; the latest counts."""
    settled: dict[str, str] = {}
    rest: list[str] = []
    for message in said:
        reading = read(message, [one for one in asked if one.id not in settled] or asked)
        settled |= reading.answers
        rest += [reading.rest] if reading.rest else []
    return ToldAnswers(settled, tuple(rest))


def _resolved(asked: Sequence[AskedPoint], settled: Mapping[str, str]) -> list[JsonObject]:
    """What the person settled; what comes after the eighth open point stays open without being asked."""
    left = [one for one in asked if one.id not in settled]
    beyond = {one.id for one in left[MOST_ASKED:]}
    by_person = [{"id": one.id, "resolution": settled[one.id], "by": "person"} for one in asked if one.id in settled]
    return [*by_person, *({"id": one.id, "resolution": LEFT_OPEN, "by": "ai"} for one in asked if one.id in beyond)]


def _open_points(proposal: JsonObject) -> list[JsonObject]:
    """The last section, when anything is open."""
    left = [row for row in proposal["resolved"] if row["resolution"] == LEFT_OPEN]
    return [{"name": OPEN_POINTS, "purpose": OPEN_PURPOSE}] if left or proposal["open"] else []


def _decisions(kind: str | None) -> list[JsonObject]:
    if kind is None:
        return []
    return [{"id": "D-1", "title": KIND_TITLE, "decision": f"{KIND_DECISION}{kind}", "reason": KIND_REASON}]


def _challenges(intent: JsonObject, before: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
    pairs = contradictions([*intent["constraints"], *intent["objective"]])
    asked = " ".join(one["text"] for key in ("unknowns", "open_questions") for one in intent[key])
    concerns = [f"{WHICH_HOLDS} “{pair.one}” / “{pair.other}”" for pair in pairs if pair.one not in asked]
    known = {one["concern"]: one["id"] for one in before}
    free = (name for name in (f"C-{number}" for number in count(1)) if name not in known.values())
    return [
        {"id": known.get(text) or next(free), "area": "contradictions", "concern": text, "reasoning": TWO_SAY}
        for text in concerns
    ]


def _asked(intent: JsonObject, challenges: Sequence[JsonObject]) -> list[AskedPoint]:
    """Everything somebody has to settle, by id."""
    own = [AskedPoint(one["id"], one["text"]) for key in ("open_questions", "unknowns") for one in intent[key]]
    return [*own, *(AskedPoint(one["id"], one["concern"]) for one in challenges)]


def _outside(texts: Sequence[str]) -> list[str]:
    """What leaves something out: the clause where it names the thing; what stands in brackets is said in passing."""
    found: list[str] = []
    for text in _with("outside", [BRACKETS.sub("", text) for text in texts]):
        clauses = [part for part in APART.split(text) if cue("outside").search(part)]
        named = [part for part in clauses if NAMES_IT.search(cue("outside").sub(" ", part))]
        found += [text] if len(APART.split(text)) == 1 or not named else [part.strip(" .!") for part in named]
    return list(dict.fromkeys(found))


NAMES_IT = re.compile(r"[^\W\d_]{3,}")
BRACKETS = re.compile(r"\s*\([^()]*\)")
APART = re.compile(r";\s|,(?!\d)\s+|\s[–—-]\s|\s(?:but|and)\s(?=(?:we|i|he|she|they|it)\b)", re.IGNORECASE)


def _with(name: str, texts: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(text for text in texts if cue(name).search(text)))


def _criteria(
    intent: JsonObject, said: Sequence[str], settled: Mapping[str, str], *, lost: frozenset[str]
) -> list[JsonObject]:
    """Only what the person said must or should be; when they said nothing of the kind there is none."""
    lines = [STATED.match(line) for message in said for line in message.splitlines()]
    stated = [found.group(1).strip() for found in lines if found]
    spoken = [piece.text for message in said for piece in pieces(message) if piece.kind == "sentence"]
    later = [text for text in spoken if not STATED.match(text) and not SETTLES.match(text)]
    names = [one["id"] for one in intent["open_questions"] + intent["unknowns"] if one["text"] == NO_CRITERIA]
    known = [settled[name] for name in names if settled.get(name, LEFT_OPEN) != LEFT_OPEN]
    known += [text.removeprefix(NO_CRITERIA).strip() for text in intent["constraints"] if text.startswith(NO_CRITERIA)]
    aims = [text for text in intent["objective"] if not DUTY.match(text)]
    own = [text for text in intent["constraints"] if not text.startswith(GAPS) and not cue("taken_out").match(text)]
    texts = [*_with("criterion", [*own, *aims, *later]), *known, *stated]
    kept = [text for text in texts if text not in lost]
    return [{"id": f"AC-{number}", "text": text} for number, text in enumerate(dict.fromkeys(kept), 1)]
