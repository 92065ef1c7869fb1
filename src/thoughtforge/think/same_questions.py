"""Unknowns, questions and doubts keep their ids from version to version while they mean the same.

A person answers by id. A new version may number them anew; the engine puts the old numbers back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thoughtforge.kernel.model import JsonObject
from thoughtforge.think.material import terms

LISTS = ("unknowns", "open_questions")
ALIKE = 0.5
"""The part of their words that two texts share at least when they mean the same."""
REWORDED = 0.2
"""The same for two texts with one number."""


def keep_ids(before: Sequence[JsonObject], after: JsonObject) -> JsonObject:
    """The new version with the ids of all versions before it; a new point gets a number nobody ever had."""
    return {**after, **{key: _kept(_ever(before, key), after[key]) for key in LISTS}}


def keep_doubts(before: Sequence[JsonObject], after: JsonObject) -> JsonObject:
    """The new proposal with the ids its doubts had before, also where they are settled, open or traced."""
    kept = _kept(_ever(before, "challenges"), after["challenges"], key="concern")
    names = {old["id"]: new["id"] for old, new in zip(after["challenges"], kept, strict=True)}
    renamed = {
        key: [{**row, "id": names.get(row["id"], row["id"])} for row in after[key]] for key in ("resolved", "open")
    }
    traced = [{**row, "in": [names.get(place, place) for place in row["in"]]} for row in after.get("traced", ())]
    return {**after, **renamed, "challenges": kept, **({"traced": traced} if "traced" in after else {})}


def _ever(versions: Sequence[JsonObject], key: str) -> list[dict[str, Any]]:
    """Every point there ever was, in its newest words."""
    return [*{row["id"]: row for version in versions for row in version[key]}.values()]


def _kept(before: list[dict[str, Any]], after: list[dict[str, Any]], key: str = "text") -> list[dict[str, Any]]:
    pairs = [(_alike(old, new, key), o, n) for o, old in enumerate(before) for n, new in enumerate(after)]
    kept: dict[int, str] = {}
    used: set[int] = set()
    for likeness, o, n in sorted(pairs, key=lambda pair: (-pair[0], pair[1:])):
        if likeness >= ALIKE and o not in used and n not in kept:
            kept[n] = before[o]["id"]
            used.add(o)
    taken = {row["id"] for row in before}
    found = []
    for place, row in enumerate(after):
        identity = kept.get(place) or _free(row["id"], taken)
        taken.add(identity)
        found.append({**row, "id": identity})
    return found


def _alike(old: dict[str, Any], new: dict[str, Any], key: str) -> float:
    """How much two points share; one that kept its number may be worded more freely."""
    found = _likeness(old[key], new[key])
    return max(found, ALIKE) if old["id"] == new["id"] and found >= REWORDED else found


def _free(identity: str, taken: set[str]) -> str:
    """The id itself, or the first number of its letter above all that were ever there."""
    if identity not in taken:
        return identity
    letter = identity.partition("-")[0]
    return f"{letter}-{1 + max(int(one.partition('-')[2]) for one in taken)}"


def _likeness(one: str, other: str) -> float:
    mine, theirs = terms(one), terms(other)
    if not mine or not theirs:
        return float(one == other)
    return len(mine & theirs) / len(mine | theirs)
