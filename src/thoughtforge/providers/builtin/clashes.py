"""Figures that cannot both hold though they are not the same thing: a limit and a count, a deadline and a later day."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import (
    CLAUSE,
    NUM,
    StatedDate,
    dates,
    facts,
    number,
    stem,
    subject,
)
from thoughtforge.providers.builtin.sentences import cue, cues

MOST = re.compile(
    rf"\b(?:at most|no more than|not more than|max(?:imum|imal)?(?: of)?|up to|limited to|only|room for"
    rf"|space for|höchstens"
    rf"|como máximo|máximo)\W{{1,5}}({NUM})\W{{1,5}}(?:more |other )?(\w+)"
    rf"|(?<![\w.,])({NUM})\s+(\w+)\W{{1,3}}(?:at most|max(?:imum)?|tops)\b",
    re.IGNORECASE,
)
SHARE = re.compile(
    r"\b(?:per|each|every|at once|at a time|at the same time|a (?:day|week|boat|table|car|room|group|team"
    r"|time)|vegetarian\w*)\b",
    re.IGNORECASE,
)
"""A limit of a part says nothing against the whole."""
BY = re.compile(
    r"\b(?:by|before|until|till|no later than|not later than|not after|at the latest)\s+(?:the )?$", re.IGNORECASE
)
MONTH_DAYS = 31
LATEST = 120
"""Days between a deadline and a later day; what is farther apart lies in another year."""
ALIKE = 0.5
PEOPLE = frozenset(map(stem, ("people", "persons", "guests", "heads", "participants", "attendees", "visitors")))
SIMILAR = PEOPLE | frozenset(map(stem, ("kids", "children", "pupils", "adults", "members", "players", "singers")))
"""Nouns that count the same: whoever has 24 guests has 24 people."""


class Clash(NamedTuple):
    """Two clauses or sentences that do not fit."""

    one: str
    other: str


def clashes(texts: Sequence[str]) -> list[Clash]:
    """All of them, in the order of the statements; a sentence may speak against itself."""
    return [*_limits(texts), *_deadlines(texts), *_events(texts)]


def _limits(texts: Sequence[str]) -> Iterator[Clash]:
    """At most 22 panels, and 26 panels."""
    known = [(text, limits(text)) for text in texts]
    if not any(limit for _, limit in known):
        return
    for at, (upper, most) in enumerate(known):
        for noun, limit in most:
            for place, (text, own) in enumerate(known):
                apart = text != upper and (own or _own_occasion(upper, text))
                over = "" if apart else _over(text, noun, limit, within=text == upper)
                if over and text == upper:
                    yield Clash(next(part for part in CLAUSE.split(text) if limits(part)).strip(), over)
                elif over:
                    yield Clash(upper, text) if at <= place else Clash(text, upper)


OCCASION = re.compile(r"\b(?:at )?\d{1,2}[:.]\d\d\b")


def _own_occasion(upper: str, text: str) -> bool:
    """Whether the limit is one of an occasion with a day or an hour that the other sentence does not name."""
    days = {when.key for when in dates(upper)}
    return bool(days or OCCASION.search(upper)) and not days & {when.key for when in dates(text)}


def limits(text: str) -> list[tuple[str, float]]:
    """What a sentence limits, and to how many."""
    if SHARE.search(text):
        return []
    found = [(hit[2] or hit[4], number(hit[1] or hit[3])) for hit in MOST.finditer(text)]
    return [(stem(noun), limit) for noun, limit in found]


def _over(text: str, noun: str, limit: float, *, within: bool) -> str:
    """The clause of a sentence that counts more of the thing than the limit allows, or nothing."""
    if SHARE.search(text) or not within and cue("limit").search(text) and re.search(r"\b(?:less|fewer|under)\b", text):
        return ""
    for fact in facts(text):
        named = fact.kind.removeprefix("count ") if fact.kind.startswith("count ") else ""
        alike = named == noun or {named, noun} <= SIMILAR and bool({named, noun} & PEOPLE)
        if alike and isinstance(fact.value[0], float) and fact.value[0] > limit:
            return fact.clause
    return ""


def _deadlines(texts: Sequence[str]) -> Iterator[Clash]:
    """Back by 6 October, and the flight leaves on 9 October."""
    said = [(text, clause.strip(), when) for text in texts for clause in CLAUSE.split(text) for when in dates(clause)]
    due = [one for one in said if BY.search(one[1][: one[2].at])]
    for text, clause, limit in due:
        for other, told, when in said:
            if text != other and not BY.search(told[: when.at]) and _later(when, limit) and _same_thing(clause, told):
                yield Clash(*((text, other) if texts.index(text) < texts.index(other) else (other, text)))


def _later(when: StatedDate, limit: StatedDate) -> bool:
    days = [_day(one) for one in (when, limit)]
    return all(days) and 0 < days[0] - days[1] < LATEST


def _day(when: StatedDate) -> int:
    """The day of the year, roughly; 0 when no day is named."""
    key = when.key
    if key[0] not in ("day", "days") or not isinstance(key[1], int) or not isinstance(key[2], int):
        return 0
    return key[1] * MONTH_DAYS + key[2]


def _same_thing(due: str, told: str) -> bool:
    """Whether both speak of travelling, or the deadline and the event name the same thing."""
    if any(pattern.search(due) and pattern.search(told) for pattern in _families()):
        return True
    event = _event(told)
    about = subject(due) - subject("done finished ready complete over")
    return event is not None and bool(event.thing) and event.thing <= about and len(about - event.thing) <= 1


@lru_cache
def _families() -> tuple[re.Pattern[str], ...]:
    return tuple(pattern for name, pattern in cues("families").items() if name == "travel")


class StatedEvent(NamedTuple):
    """A thing and its day."""

    thing: frozenset[str]
    head: str
    when: StatedDate


def _events(texts: Sequence[str]) -> Iterator[Clash]:
    """The kick-off is on 3 May, and it takes place on 5 May."""
    told = [(text, event) for text in texts for event in [_event(text)] if event is not None]
    for at, (text, one) in enumerate(told):
        for other, two in told[at + 1 :]:
            differ = one.when.key != two.when.key and one.when.key[0] == two.when.key[0]
            if text != other and differ and one.head == two.head and (one.thing <= two.thing or two.thing <= one.thing):
                yield Clash(text, other)


@lru_cache(maxsize=2_000)
def _event(text: str) -> StatedEvent | None:
    """The event a sentence puts on one day."""
    days = dates(text)
    if len(days) != 1 or days[0].key[0] not in ("day", "days", "month", "other"):
        return None
    before = re.sub(r"^.{0,30}?\b(?:says?|thinks?|said)\b(?: that)?", "", text[: days[0].at])
    found = re.match(
        rf"^\W*(?:(?:the|our|my|this|so|and"
        rf"|but)\s)*(?P<thing>[^,;:()]{{2,40}}?)\s*(?:\s{cue('takes_place').pattern}|:|\s[-–])\s*"
        r"(?:on|in|at|for|not on)?\s*(?:the\s)?$",
        before,
        re.IGNORECASE,
    )
    words = re.findall(r"[^\W\d_]{3,}", found["thing"]) if found else []
    if not found or not words or cue("negation").search(before):
        return None
    return StatedEvent(subject(found["thing"]), stem(words[-1]), days[0])
