"""Where each objective and constraint of an intent went: into a part of the proposal, or left out with a reason.

Unknowns and questions are settled or open by id (`texts.open_points`); this is for what the person stated. The
engine looks for itself: a place that does not exist counts for nothing, and words that stand there need no claim.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject

LISTS = {"objective": "OBJ", "constraints": "CON"}
"""Lists of an intent without ids of their own → the letters their points are numbered with."""
NAMED = ("decisions", "criteria", "resolved")
"""Parts of a proposal whose entries have ids; a doubt counts once it has a resolution."""
TRACES = ("traced", "left_out")
"""The lists that say what became of a point."""
NEAR = 0.8
"""How alike a name and a part are at least, for one to mean the other."""
IDENTITY = re.compile(r"[a-z]+-\d+")
FIELDS = ("overview", "dependencies", "scope", "priorities", "exclusions", "structure")
"""Parts that are named as a whole."""


class Trace(NamedTuple):
    """One point of the intent and where it is found."""

    id: str
    text: str
    places: tuple[str, ...] = ()
    left_out: str = ""
    """Why it is in no part, in the words of whoever proposes."""

    @property
    def known(self) -> bool:
        """Whether somebody says what became of it."""
        return bool(self.places or self.left_out)


def points(intent: JsonObject) -> list[tuple[str, str]]:
    """Every objective and constraint with its id; a confirmed intent does not change, so neither do its numbers."""
    return [(f"{letters}-{n}", text) for key, letters in LISTS.items() for n, text in enumerate(intent[key], 1)]


def with_ids(intent: JsonObject) -> JsonObject:
    """The intent as agents are shown it: every point can be named."""
    named = {key: [{"id": f"{LISTS[key]}-{n}", "text": text} for n, text in enumerate(intent[key], 1)] for key in LISTS}
    return {**intent, **named}


def traced(intent: JsonObject, proposal: JsonObject) -> tuple[Trace, ...]:
    """What became of every point."""
    claimed = {row["id"]: row["in"] for row in proposal.get("traced", ())}
    reasons = {row["id"]: row["reason"] for row in proposal.get("left_out", ())}
    places = _places(proposal)
    found = []
    for identity, text in points(intent):
        named = [places[key].name for each in claimed.get(identity, ()) if (key := _key(each, places))]
        seen = [place.name for place in places.values() if _plain(text) in place.text]
        found.append(Trace(identity, text, tuple(dict.fromkeys([*named, *seen])), reasons.get(identity, "").strip()))
    return tuple(found)


def untraced(intent: JsonObject, proposal: JsonObject) -> list[tuple[str, str]]:
    """The points nobody says anything about."""
    return [(one.id, one.text) for one in traced(intent, proposal) if not one.known]


def no_places(intent: JsonObject, proposal: JsonObject) -> dict[str, str]:
    """Point → what is wrong with the places it is said to be in, when none of them is a part."""
    places, found = _places(proposal), {}
    for row in proposal.get("traced", ()):
        wrong = [each for each in row["in"] if not _key(each, places)]
        near = get_close_matches(_plain(wrong[0]), places, n=1, cutoff=0) if wrong else []
        nearest = f", nearest is {places[near[0]].name}" if near else ""
        if wrong:
            known = ", ".join(place.name for place in places.values())
            found[row["id"]] = f" (`traced` says {', '.join(wrong)}, which is no part{nearest}; the parts are {known})"
    return found


def with_traces(before: JsonObject, after: JsonObject) -> JsonObject:
    """The proposal with the traces it had before, where it says nothing new of a point."""
    said = {row["id"] for key in TRACES for row in after.get(key, ())}
    kept = {key: [row for row in before.get(key, ()) if row["id"] not in said] for key in TRACES}
    return {**after, **{key: [*after.get(key, ()), *kept[key]] for key in TRACES if after.get(key) or kept[key]}}


class ProposalPart(NamedTuple):
    """A part of the proposal that ends up in the specification or the constraints."""

    name: str
    text: str


def _key(name: str, places: Mapping[str, ProposalPart]) -> str:
    """The part a name means: the very one, the only one with its words, or one that is written nearly so."""
    plain = _plain(name)
    if plain in places or IDENTITY.fullmatch(plain):
        return plain if plain in places else ""
    wider = [key for key in places if plain and set(plain.split()) <= set(key.split())]
    near = wider if len(wider) == 1 else get_close_matches(plain, places, n=1, cutoff=NEAR)
    return near[0] if near else ""


def _places(proposal: JsonObject) -> dict[str, ProposalPart]:
    """Every part by the word it is named with."""
    settled = [row for row in proposal.get("challenges", ()) if row.get("resolution", "").strip()]
    rows = [*(row for part in NAMED for row in proposal.get(part, ())), *settled]
    named = [ProposalPart(row["id"], _plain(row)) for row in rows]
    sections = [ProposalPart(row["name"], _plain(row)) for row in proposal["structure"]]
    fields = [ProposalPart(name, _plain(proposal[name])) for name in FIELDS]
    return {_plain(place.name): place for place in (*fields, *sections, *named) if place.text}


def _plain(value: object) -> str:
    """All words of a value in small letters, for comparing."""
    if isinstance(value, dict):
        return " ".join(filter(None, map(_plain, value.values())))
    if isinstance(value, (list, tuple)):
        return " ".join(filter(None, map(_plain, value)))
    return " ".join(str(value).casefold().split()).rstrip(".")
