"""Figures nobody gave: those of a plan that its material does not have, unless they are marked as an estimate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from typing import NamedTuple

from thoughtforge.deliverables.plan.figures import NUMBER, TOTAL, label_of, readings
from thoughtforge.deliverables.plan.markdown import lines_of

ESTIMATE = re.compile(r"\(\s*estimate[\s_]*:[\s_]*[^\s_)][^)]*\)", re.IGNORECASE)
"""The mark of a figure that is not in the material, with its basis: `(estimate: two quotes of last year)`."""
FIGURE = re.compile(
    rf"(?<![\w.,:/#-])(?P<money>[€$£¥]\s?)?(?P<number>{NUMBER})(?P<scale>\s?[kK]\b)?(?P<share>\s?%)?(?![\w:/-]*\d)"
)
MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
DATE = re.compile(
    rf"\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}\b|\b\d{{1,2}}:\d\d\b"
    rf"|\b\d{{1,2}}(?:\s?[-–]\s?\d{{1,2}})?(?:st|nd|rd|th)?\s(?:of\s)?{MONTH}\b|\b{MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?\b",
    re.IGNORECASE,
)
ORDINAL = re.compile(r"^\s*(?:#+\s*)?\d+[.)]\s")
BETWEEN = re.compile(r"(?<=[.;!?])\s+")
COUNTED = 12
"""Whole numbers up to this count things; larger ones, and any with a currency or a percent sign, are figures."""
YEARS = range(1900, 2101)
LISTED = 40


class Figure(NamedTuple):
    """A number in a text."""

    text: str
    readings: frozenset[Decimal]


def unmarked(plan: str, material: str) -> tuple[str, ...]:
    """Figures of the plan that the material does not have and no estimate mark covers, with their sections.

    A total, and what two figures of the same sentence or row make together, is calculated and not invented.
    """
    given = _given(material)
    found: dict[str, None] = {}
    heading = ""
    for line, fenced in lines_of(plan):
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
        elif not fenced and not TOTAL.match(label_of(line.strip("| ").split("|"))):
            for piece in [line] if line.startswith("|") else _sentences(line):
                found |= dict.fromkeys(f"{heading}: {text}" for text in _invented(piece, given))
    return tuple(found)[:LISTED]


def _given(material: str) -> frozenset[Decimal]:
    """Every number of the material in every way it can be read, each field of a table of commas too."""
    found = [match.group() for match in re.finditer(NUMBER, material)]
    fields = [field for number in found if "," in number for field in number.split(",")]
    thousands = [f"{match[1]}000" for match in re.finditer(r"(\d+)\s?[kK]\b", material)]
    return frozenset(value for number in (*found, *fields, *thousands) for value in readings(number))


def _sentences(line: str) -> Iterator[str]:
    """The sentences; a mark after a full stop belongs to the sentence before it."""
    held = ESTIMATE.sub(lambda mark: mark.group().replace(" ", "_"), re.sub(r"([.;!?])\s+(?=\(estimate)", r"\1", line))
    yield from BETWEEN.split(held)


def _invented(piece: str, given: frozenset[Decimal]) -> Iterator[str]:
    if ESTIMATE.search(piece):
        return
    all_of = {value for each in _figures(piece, small=True) for value in each.readings}
    made = {
        outcome for one, other in combinations(all_of, 2) for outcome in (one * other, one + other, abs(one - other))
    }
    for each in _figures(piece, small=False):
        if not each.readings & (given | made):
            yield each.text


def _figures(text: str, *, small: bool) -> Iterator[Figure]:
    for found in FIGURE.finditer(DATE.sub(" ", ORDINAL.sub("", text))):
        factor = 1000 if found["scale"] else 1
        values = frozenset(one * factor for one in readings(found["number"]))
        plain = not (found["money"] or found["share"] or found["scale"])
        whole = all(one == one.to_integral_value() and (one <= COUNTED or int(one) in YEARS) for one in values)
        if small or not (plain and whole):
            yield Figure(found.group().strip(), values)
