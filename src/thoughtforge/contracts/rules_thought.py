"""Rules on a thought on its way to a plan or to code: intent, proposal, plan_section, completeness."""

from __future__ import annotations

from collections.abc import Iterator

from thoughtforge.contracts.given import Given
from thoughtforge.contracts.shape import WHOLE, find, text, texts, words
from thoughtforge.kernel.model import JsonObject, Problem

SETTLED = ("resolved[].id", "open[].id")
ASKED = ("unknowns[].id", "open_questions[].id")


def settled_ids_known(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """What is resolved or open is something the intent left open, or a challenge of this proposal."""
    intent = given.artifacts.get("intent")
    if intent is None:
        return
    known = words(intent, *ASKED) | words(artifact, "challenges[].id")
    for where, identity in texts(artifact, *SETTLED):
        if identity not in known:
            yield Problem(where=where, what=f"{identity[:20]!r} is neither in the intent nor a challenge")


def intent_accounted_for(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Every unknown and question of the intent is resolved or said to be open; none is forgotten."""
    settled = words(artifact, *SETTLED)
    for _, identity in texts(given.artifacts.get("intent", {}), *ASKED):
        if identity not in settled:
            yield Problem(where=WHOLE, what=f"{identity[:20]} of the intent is neither resolved nor open")


def stuck_explained(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """Whoever is stuck says on what."""
    if artifact.get("stuck") is True and not text(artifact, "reason").strip():
        yield Problem(where="reason", what="must say which decision is needed, because stuck is true")


def filled_unless_stuck(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """A section that is not stuck has text."""
    if artifact.get("stuck") is False and not any(found.value.strip() for found in texts(artifact, "content.*")):
        yield Problem(where="content", what="has no text although stuck is false")


def failure_explained(artifact: JsonObject, given: Given) -> Iterator[Problem]:
    """A plan that does not pass says why."""
    if artifact.get("pass") is False and not any(True for _ in find(artifact, "reasons[]")):
        yield Problem(where="reasons", what="must say what is missing, because pass is false")
