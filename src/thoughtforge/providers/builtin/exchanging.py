"""A figure or a word in place of another: the old one is named, or it stands in the same sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import (
    MONTH,
    NUM,
    UNIT,
    Fact,
    StatedDate,
    dates,
    facts,
    figures,
    number,
    subject,
)

FIGURE = rf"(?:[€$£¥]\s?)?{NUM}k?(?:\s?(?:{UNIT}|%))?(?!\w)"
NOT = r"(?:and\s+)?(?:not|instead of|rather than|no longer)\s+(?:the\s+)?"
NAMES_OLD = (
    re.compile(rf"(?P<new>{FIGURE})(?P<tail>[^,;.]*?)(?P<out>,?\s*{NOT}(?P<old>{FIGURE})(?:\s\w+)?)", re.IGNORECASE),
    re.compile(
        rf"(?P<out>\bnot\s+(?P<old>{FIGURE})[^,;.\d]*[,;]?\s*(?:but|it['’]?s|rather)\s+)(?P<new>{FIGURE})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?:\b(?:moves?d?|changes?d?|goes|went|rises|rose|drops|up|down|raised|cut|lowered)\b[^,;.\d]*)"
        rf"(?P<out>from\s+(?P<old>{FIGURE})\s+)to\s+(?P<new>{FIGURE})",
        re.IGNORECASE,
    ),
)
"""The new figure and the old one it replaces: `2,000 per minute, not 1,200`."""
NAMED_WRONG = re.compile(
    rf"(?P<old>{FIGURE})(?:\s[^\W\d_]+)?\s+(?:is|are|was|were)\s+(?:(?:just|far|simply|already|not)\s)?"
    r"(?:wrong|right|correct|enough|too (?:few|many|much|little|low|high|small|big)|outdated|out of date)\b"
    rf"[^.\d]*?(?:\b(?:make (?:it|that)|rather|better|it['’]?s|take|need|is|are|now)\s+)(?P<new>{FIGURE})",
    re.IGNORECASE,
)
"""The old figure is called wrong and a new one named: `80 is wrong, make it 96`."""
WORD_OLD = re.compile(
    r"^(?P<new>[^,;]{2,80}?)(?P<out>,\s*not\s+(?:the\s+|an?\s+|on\s+|in\s+|by\s+)?(?P<old>[^\W\d_]{2,25}))(?=\W*$)",
    re.IGNORECASE,
)
SELF = re.compile(
    r"\W*\b(?:i think|i guess|or so)?\W*(?:\b(?:no,?\s+(?:wait|make (?:that|it)|sorry|better)"
    r"|make (?:that|it)|sorry|wait"
    r"|i mean(?:t)?|actually|rather|oops|correction|scratch that|hang on|or better)\b|[,–—(-]\s*(?:ah "
    r"|oh |er )?no\b)[\s,:–—-]*"
    r"(?:no[\s,]+)?(?:(?:make|let['’]?s say|better|rather)\s+(?:(?:that|it)\s+)?)?(?:it['’]?s\s+)?$",
    re.IGNORECASE,
)
MOST_BACK = 200


class NamedExchange(NamedTuple):
    """An old text, the new one, and the sentence without the old."""

    old: str
    new: str
    rest: str


def amended(text: str) -> str:
    """A sentence that corrects itself, with the later figure only: `55 people, no, make that 45 people`."""
    for one, other in pairwise(figures(text)):
        alike = one.kind == other.kind or "number" in (one.kind, other.kind)
        if alike and SELF.fullmatch(text[one.end : other.at]):
            counted = one.kind.startswith("count") and other.kind == "number"
            noun = text[one.at : one.end].rpartition(" ")[2] if counted else ""
            return f"{text[: one.at]}{text[other.at : other.end]}{' ' if noun else ''}{noun}{text[other.end :]}"
    return text


def exchange(text: str, *, says_so: bool) -> NamedExchange | None:
    """What a sentence puts in place of what: both figures are named, or both words when it is a correction."""
    if not dates(text):
        wrong = NAMED_WRONG.search(text)
        if wrong:
            return NamedExchange(wrong["old"], wrong["new"], wrong["new"])
        for pattern in NAMES_OLD:
            found = pattern.search(text)
            if found:
                rest = f"{text[: found.start('out')]}{text[found.end('out') :]}"
                return NamedExchange(found["old"], found["new"], rest)
    found = WORD_OLD.match(text) if says_so else None
    if found is None or re.match(MONTH, found["old"], re.IGNORECASE):
        return None
    new = _counterpart(found["new"], found["old"])
    return NamedExchange(found["old"], new, f"{found['new']}{text[found.end('out') :]}") if new else None


class MovedDay(NamedTuple):
    """A day that is taken back, and the one in its place."""

    old: StatedDate
    new: StatedDate


def moved_day(text: str) -> MovedDay | None:
    """The two days of `not on 2 May, 9 May rather`; None when it is not plain which one is taken back."""
    days = dates(text)
    back = [day for day in days if DENIES.search(text[: day.at])]
    new = [day for day in days if day not in back]
    plain = len(back) == 1 and len(new) == 1 and back[0].key != new[0].key
    return MovedDay(back[0], new[0]) if plain else None


DENIES = re.compile(
    r"\b(?:not?|kein\w*|nicht|instead of|rather than|statt)\s+(?:(?:on|am|the|in|den|for)\s+){0,2}$", re.IGNORECASE
)


def _counterpart(stated: str, old: str) -> str:
    """The word that takes the place of the old one: a name for a name, else the last word."""
    words = re.findall(r"[^\W\d_][\w'’-]*", stated)
    names = [word for word in words if word[0].isupper()]
    return (names[-1] if names else "") if old[0].isupper() else (words[-1] if words else "")


def exchanged(before: str, both: NamedExchange) -> str:
    """The earlier sentence with the new in place of the old; the sentence itself when it has no such thing."""
    if not both.old[-1:].isalpha() or any(letter.isdigit() for letter in both.old):
        wanted, new = _digits(both.old), _digits(both.new)
        for found in re.finditer(rf"(?<![\w.,]){NUM}", before):
            if wanted and number(found.group()) == number(wanted):
                return f"{before[: found.start()]}{new}{before[found.end() :]}"
        return before
    return re.sub(rf"(?<!\w){re.escape(both.old)}(?!\w)", both.new, before, count=1)


def _digits(text: str) -> str:
    found = re.search(NUM, text)
    return found.group() if found else ""


def in_place(before: str, old: Fact, new: Fact) -> str:
    """The sentence with the new figure; a year and a noun the new one leaves out stay."""
    written = new.text
    year = re.search(r"\s\d{4}$", old.text)
    if old.kind == "date day" and year and not re.search(r"\d{4}$", written):
        written = f"{written}{year.group()}"
    if "number" in (old.kind, new.kind) and old.kind != new.kind and old.kind == "money":
        written = old.text.replace(_digits(old.text), _digits(new.text), 1)
    return before.replace(old.text, written, 1)


def only_says(text: str, before: str, *, generic: frozenset[str]) -> bool:
    """Whether a correction says nothing that the corrected sentence does not say."""
    figure_words = frozenset[str]().union(*(fact.about for fact in facts(text)))
    return not (subject(text) | figure_words) - subject(before) - generic


def best_place(both: NamedExchange, texts: Sequence[str], rest: str) -> int | None:
    """The place of the sentence that has the old figure and shares most words; the newest of equals."""
    about = subject(rest)
    found = [
        (len(about & subject(text)), at)
        for at, text in enumerate(texts[-MOST_BACK:], max(0, len(texts) - MOST_BACK))
        if exchanged(text, both) != text
    ]
    shared = [one for one in found if one[0]]
    if shared:
        return max(shared)[1]
    return found[0][1] if len(found) == 1 and not about else None
