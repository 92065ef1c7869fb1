"""Where each objective and constraint of an intent went: into a part of the proposal, or left out with a reason.

Unknowns and questions are settled or open by id (`proposing.open_points`); this is for what the person stated. The
engine looks for itself: a place that does not exist counts for nothing, and words that stand there need no claim.
"""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject

LISTS = {"objective": "OBJ", "constraints": "CON"}
"""Lists of an intent without ids of their own → the letters their points are numbered with."""
NAMED = ("decisions", "criteria", "resolved")
"""Parts of a proposal whose entries have ids; a doubt counts once it has a resolution."""
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
        named = [places[_plain(each)].name for each in claimed.get(identity, ()) if _plain(each) in places]
        seen = [place.name for place in places.values() if _plain(text) in place.text]
        found.append(Trace(identity, text, tuple(dict.fromkeys([*named, *seen])), reasons.get(identity, "").strip()))
    return tuple(found)


def untraced(intent: JsonObject, proposal: JsonObject) -> list[tuple[str, str]]:
    """The points nobody says anything about."""
    return [(one.id, one.text) for one in traced(intent, proposal) if not one.known]


class ProposalPart(NamedTuple):
    """A part of the proposal that ends up in the specification or the constraints."""

    name: str
    text: str


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
