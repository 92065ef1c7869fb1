"""From notes to an intent: every sentence is put somewhere, and nothing else is put beside it but fixed questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.contradictions import contradictions
from thoughtforge.providers.builtin.cues import cue
from thoughtforge.providers.builtin.kinds import deliverable
from thoughtforge.providers.builtin.sentences import Piece, pieces
from thoughtforge.providers.builtin.sorting import CONTEXT, belongs
from thoughtforge.providers.builtin.texts import BOTH, LEFT_IN, NO_CRITERIA, NO_LIMITS, NO_OBJECTIVE, WHICH_HOLDS
from thoughtforge.providers.builtin.titles import title

LISTS = ("objective", "assumptions", "constraints", "unknowns", "open_questions", CONTEXT)
MOST_QUESTIONS = 5


def distil(messages: Sequence[str], resources: Sequence[Mapping[str, Any]] = ()) -> JsonObject:
    """The intent in a person's messages, in their own words."""
    said = [piece for message in messages for piece in pieces(message)]
    lists: dict[str, dict[str, None]] = {name: {} for name in LISTS}
    for piece in said:
        lists[belongs(piece)].setdefault(piece.text)
    name = title(said, list(lists["objective"]))
    for resource in resources:
        _read(resource, lists)
    kind = deliverable(messages)
    asked = [*_general(lists, both=kind.open), *_ranked(list(lists["open_questions"])), *_missing(lists)]
    unknowns = [*lists["unknowns"], *asked[MOST_QUESTIONS:]]
    return {
        "title": name,
        "deliverable_type": kind.name,
        "type_reason": kind.reason,
        "objective": list(lists["objective"]),
        "assumptions": list(lists["assumptions"]),
        "constraints": list(lists["constraints"]),
        "unknowns": [{"id": f"U-{number}", "text": text} for number, text in enumerate(unknowns, 1)],
        "open_questions": [
            {"id": f"Q-{number}", "text": text} for number, text in enumerate(asked[:MOST_QUESTIONS], 1)
        ],
        "context": [text for text in lists[CONTEXT] if text != name],
    }


def _read(resource: Mapping[str, Any], lists: dict[str, dict[str, None]]) -> None:
    """A resource is read for what can be sorted; the rest of it stays where it is, and its name says where."""
    found = pieces(str(resource.get("text", "")))
    for piece in found:
        name = belongs(piece)
        if name != CONTEXT and not _table(piece):
            lists[name].setdefault(piece.text)
    lists[CONTEXT].setdefault(f"{LEFT_IN} {resource.get('name', '')}".strip())


def _table(piece: Piece) -> bool:
    return piece.text.startswith("|")


def _general(lists: Mapping[str, Mapping[str, None]], *, both: bool) -> Iterator[str]:
    """What blocks everything: the type, the aim, and statements that speak against each other."""
    if both:
        yield BOTH
    if not lists["objective"]:
        yield NO_OBJECTIVE
    for pair in contradictions([*lists["constraints"], *lists["objective"]]):
        yield f"{WHICH_HOLDS} “{pair.one}” / “{pair.other}”"


def _ranked(questions: Sequence[str]) -> list[str]:
    """The person's questions, those that hold up most first; equal ones keep their order."""
    return sorted(questions, key=lambda question: -len(cue("blocking").findall(question)))


def _missing(lists: Mapping[str, Mapping[str, None]]) -> Iterator[str]:
    if not lists["constraints"]:
        yield NO_LIMITS
    if not any(cue("criterion").search(text) for name in ("objective", "constraints") for text in lists[name]):
        yield NO_CRITERIA
