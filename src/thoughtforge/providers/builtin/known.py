"""What a required section holds that nothing was said for: it follows from what is known, and invents nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.providers.builtin.clauses import parted
from thoughtforge.providers.builtin.corrections import plainly
from thoughtforge.providers.builtin.facts import dates
from thoughtforge.providers.builtin.placing import HOMES, said
from thoughtforge.providers.builtin.sentences import (
    BY_WHEN,
    IN_SECTIONS,
    LEFT_OPEN,
    MUST_HOLD,
    OPEN_POINTS,
    SETTLE,
    UNSETTLED,
    WHO_DOES,
    cue,
)
from thoughtforge.providers.builtin.sorting import REQUEST, THROAT
from thoughtforge.providers.builtin.tables import written
from thoughtforge.providers.builtin.tasks import task
from thoughtforge.providers.builtin.titles import wished

TASKS = ("What", "Who", "By when", "Depends on")
NONE = "–"
NUMBERED = re.compile(r"^\s*(?:\d{1,3}[.)]|[a-z]\))\s+")
GIVEN_UP = re.compile(r"^\W*[^,.;:]{3,50}[,;:–—]\s+(?=\S+\s\S+\s\S)")
"""What is given up, before what holds instead."""
TECHNICAL = re.compile(r"\b(?:design|architecture|interfaces?|data|requirements?)\b", re.IGNORECASE)
RISKS = HOMES["assumptions"]
FEWEST = 3
LONGEST_CELL = 120


class SectionContent(NamedTuple):
    """A cell, and what stands below the frame."""

    plan: str
    body: str


def stated(text: str) -> str:
    """What a sentence states, without a question or doubt at its end, a number before it and words of a correction."""
    parts = parted(text)
    told = NUMBERED.sub("", plainly(parts.stated if parts else text))
    begun, given_up = THROAT.match(told), GIVEN_UP.match(told)
    if begun and len(told[begun.end() :].split()) >= FEWEST - 1:
        told = told[begun.end() :]
    elif given_up and cue("taken_out").match(told):
        told = told[given_up.end() :]
    asked = REQUEST.match(told) if told.endswith("?") else None
    return told[asked.end() :].strip(" ?") if asked else told


def from_known(
    heading: str, intent: JsonObject, proposal: JsonObject, *, sections: Sequence[Mapping[str, Any]]
) -> SectionContent:
    """What follows for a section from the aim, the limits and the open points."""
    if HOMES["tasks"].search(heading):
        return SectionContent("", written(TASKS, list(_steps(intent, proposal))))
    if heading == _first(sections):
        names = [str(one["name"]) for one in sections if one["name"] not in (heading, OPEN_POINTS)]
        return SectionContent(f"{IN_SECTIONS} {', '.join(names)}." if names else intent["title"], "")
    technical = _technical(intent, proposal) if TECHNICAL.search(heading) else ()
    texts = list(_at_risk(intent, proposal) if RISKS.search(heading) else technical)
    return SectionContent(" ".join(texts) or _aims(intent, proposal)[0], "")


def _first(sections: Sequence[Mapping[str, Any]]) -> str:
    return str(sections[0]["name"])


def _aims(intent: JsonObject, proposal: JsonObject) -> list[str]:
    return [stated(text) for text in said(intent, proposal).get("objective", ())] or [str(intent["title"])]


def _open(proposal: JsonObject) -> str:
    """The ids of the points nobody has settled."""
    left = [row["id"] for row in proposal["resolved"] if row["resolution"] == LEFT_OPEN]
    return ", ".join([*(one["id"] for one in proposal["open"]), *left])


def _steps(intent: JsonObject, proposal: JsonObject) -> Iterator[tuple[str, str, str, str]]:
    """The open points and then each aim as a task, with the person and the day the answers name."""
    told = [text for texts in said(intent, proposal).values() for text in texts]
    who, when = _answer(told, WHO_DOES), _answer(told, BY_WHEN)
    first = _open(proposal)
    if first:
        yield (f"{SETTLE} {first}", NONE, NONE, NONE)
    aims = list(dict.fromkeys(_aims(intent, proposal)))
    for text in [text for text in aims if not DOCUMENT.match(wished(text))] or aims:
        days = [day.text for day in dates(text)]
        deed = _dateless(wished(text), days).strip(" .!,")
        what = _short(deed if NAMES.search(deed) else text)
        yield (what, who or NONE, (days[0] if days else when) or NONE, OPEN_POINTS if first else NONE)


DOCUMENT = re.compile(
    r"^\W*(?:an?|the|some|our)\s(?:\w+\s)?(?:plan|proposal|concept|budget|schedule|outline)\b", re.IGNORECASE
)
"""Whoever wants a plan has it here: that is no step."""


NAMES = re.compile(r"[^\W\d_]{3,}")


def _dateless(text: str, days: Sequence[str]) -> str:
    """The text without its first date, which stands in a column of its own."""
    return re.sub(rf"\s*\b(?:by|until|before|till|on|in)\s+(?:the\s)?{re.escape(days[0])}", "", text) if days else text


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[:LONGEST_CELL].rpartition(' ')[0]} …"


def _answer(told: Sequence[str], question: str) -> str:
    return next((text.removeprefix(question).strip() for text in told if text.startswith(question)), "")


def _at_risk(intent: JsonObject, proposal: JsonObject) -> Iterator[str]:
    """What must hold, and what is not settled."""
    limits = said(intent, proposal).get("constraints", [])
    hard = [text for text in limits if cue("must").search(text)]
    hard = hard or [text for text in limits if cue("limit").search(text)]
    for text in [one for one in hard if "?" not in one and task(one) is None][:FEWEST]:
        yield f"{MUST_HOLD} {_ended(stated(text))}"
    if _open(proposal):
        yield f"{UNSETTLED} {_open(proposal)}."


def _technical(intent: JsonObject, proposal: JsonObject) -> Iterator[str]:
    """The sentences that name what it is made of."""
    known = said(intent, proposal)
    texts = [text for name in ("objective", "constraints", "context") for text in known.get(name, ())]
    found = [text for text in texts if cue("code").search(text) or cue("software").search(text)]
    for text in found[:FEWEST]:
        yield _ended(stated(text))


def _ended(text: str) -> str:
    return text if text.rstrip()[-1:] in ".!…" else f"{text}."
