"""Figures nobody gave: those of a plan that its material does not have, unless they are marked as an estimate."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_UP, Decimal
from itertools import combinations, pairwise
from typing import NamedTuple

from thoughtforge.deliverables.plan.figures import NUMBER, TOTAL, amount, label_of, readings
from thoughtforge.deliverables.plan.markdown import Table, lines_of, outline

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
FINE = re.compile(r"[.,]\d\d?$")
WIDEST = 5
"""Figures of one row or sentence that are tried together."""
WORDS = re.compile(r"[a-z]+")
COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10}
"""Words that count, by what they count."""
STEPS = 12
"""How far figures are followed from figures, such as a balance from row to row."""


class Figure(NamedTuple):
    """A number in a text."""

    text: str
    readings: frozenset[Decimal]
    fine: bool = False
    """Whether it is written with decimals."""
    share: bool = False
    """Whether it is a percentage."""

    def base(self, known: Known) -> Decimal | None:
        """What it stands for where others follow from it: a figure that is known, or a number that counts things."""
        counted = (value for value in self.readings if _small(value) and (not self.fine or value in known.exact))
        return next(
            counted, next((value for value in self.readings if value in known.values and not _small(value)), None)
        )


class Known(NamedTuple):
    """The figures there is a source for."""

    values: frozenset[Decimal]
    exact: frozenset[Decimal] = frozenset()
    """Those that the material writes with decimals: a 1 of its is no 1.00."""


def unmarked(plan: str, material: str) -> tuple[str, ...]:
    """Figures of the plan that the material does not have and no estimate mark covers, with their sections.

    A total, and what figures of one section make together, is calculated and not invented.
    """
    sections = tuple(_sections(plan))
    known = derived(sections, outline(plan).tables, _given(material))
    found: dict[str, None] = {}
    for heading, pieces in sections:
        for piece in pieces:
            if not TOTAL.match(label_of(piece.strip("| ").split("|"))):
                found |= dict.fromkeys(f"{heading}: {text}" for text in _invented(piece, known))
    return tuple(found)[:LISTED]


def _small(value: Decimal) -> bool:
    return value <= COUNTED and value == value.to_integral_value()


class Pieces(NamedTuple):
    """A section as its rows and sentences."""

    heading: str
    pieces: tuple[str, ...]


def _sections(plan: str) -> Iterator[Pieces]:
    heading, held = "", list[str]()
    for line, fenced in lines_of(plan):
        if line.startswith("## ") and not fenced:
            yield Pieces(heading, tuple(held))
            heading, held = line[3:].strip(), []
        elif not fenced:
            held += [line] if line.startswith("|") else _sentences(line)
    yield Pieces(heading, tuple(held))


def derived(sections: Sequence[Pieces], tables: Sequence[Table], given: Known) -> Known:
    """The given figures, the estimated ones, and what follows from them: sums of columns, and in one section what two
    of them add up to, differ by or multiply to."""
    marked = (piece for one in sections for piece in one.pieces if ESTIMATE.search(piece))
    estimated = {value for piece in marked for each in _figures(piece, small=True) for value in each.readings}
    known = Known(given.values | estimated, given.exact | estimated)
    for _ in range(STEPS):
        sums = (value for table in tables for rows in (_column_sums, _balances) for value in rows(table, known.values))
        more = known._replace(values=known.values.union(sums))
        for one in sections:
            more = more._replace(values=more.values | _made(one, more))
        if more == known:
            break
        known = more
    return known


def _made(section: Pieces, known: Known) -> frozenset[Decimal]:
    """The figures of a section that known ones of it make together.

    In one row or sentence they may be multiplied and several added. Over the whole section two are added or taken from
    each other, and a round figure only follows from round ones: too many amounts make some round one by chance.
    """
    figures = [[*_figures(piece, small=True)] for piece in section.pieces]
    every = [one for row in figures for one in row]
    based = {value: one.fine for one in every for value in one.readings if value in known.values and value > COUNTED}
    coarse = [value for value, fine in based.items() if not fine]
    made = {True: _pairs(based), False: _pairs(coarse)}
    far = {value for one in every for value in one.readings & made[one.fine]}
    near = {value for row in figures for one in row for value in one.readings & _together(row, one, known)}
    return frozenset(far | near)


def _pairs(values: Iterable[Decimal]) -> frozenset[Decimal]:
    return frozenset(made for one, other in combinations(values, 2) for made in (one + other, abs(one - other)))


def _together(row: Sequence[Figure], made: Figure, known: Known) -> frozenset[Decimal]:
    """What the other figures of a row or sentence come to: products of neighbours, shares, sums of these.

    A difference, and a share, follow from known figures alone: else any two figures would prove a third.
    """
    others = [one for one in row if one is not made][:WIDEST]
    based = [value for one in others if not one.share and (value := one.base(known)) is not None]
    shares = {_cents(share * value / 100) for one in others if one.share for share in one.readings for value in based}
    # a figure nobody gave is listed itself, so what it is multiplied to need not be
    products = {a * b for one, other in pairwise(others) for a in one.readings for b in other.readings}
    terms = [*based, *products][: 2 * WIDEST]
    sums = (sum(some, Decimal(0)) for size in range(2, len(terms) + 1) for some in combinations(terms, size))
    return frozenset([*products, *shares, *sums, *_pairs(based)])


def _cents(value: Decimal) -> Decimal:
    return value.quantize(Decimal("0.01"), ROUND_HALF_UP)


def _column_sums(table: Table, known: frozenset[Decimal]) -> Iterator[Decimal]:
    """What neighbouring rows of each column add up to, while all of them are known; totals are no rows."""
    rows = [row for row in table.rows if not TOTAL.match(label_of(row))]
    for place in range(len(table.header)):
        open_sums: list[Decimal] = []
        for row in rows:
            found = amount(row[place] if place < len(row) else "")
            value = next((one for one in found.readings if abs(one) in known), None) if found else Decimal(0)
            open_sums = [] if value is None else [*(one + value for one in open_sums), value]
            yield from map(abs, open_sums)


def _balances(table: Table, known: frozenset[Decimal]) -> Iterator[Decimal]:
    """Cells that are the known one above them and another one of their row together: a balance carried on."""
    for above, row in pairwise(table.rows):
        for place, text in enumerate(row):
            before, now = amount(above[place]) if place < len(above) else None, amount(text)
            others = [found.readings[0] for at, each in enumerate(row) if at != place and (found := amount(each))]
            if before and now and any(abs(one) in known for one in before.readings):
                carried = {before.readings[0] + sign * other for other in others for sign in (1, -1)}
                yield from (value for value in now.readings if value in carried)


def _given(material: str) -> Known:
    """Every number of the material in every way it can be read, each field of a table of commas too."""
    found = [match.group() for match in re.finditer(NUMBER, material)]
    fields = [field for number in found if "," in number for field in number.split(",")]
    thousands = [f"{match[1]}000" for match in re.finditer(r"(\d+)\s?[kK]\b", material)]
    values = frozenset(value for number in (*found, *fields, *thousands) for value in readings(number))
    return Known(values, frozenset(value for number in found if not number.isdigit() for value in readings(number)))


def _sentences(line: str) -> Iterator[str]:
    """The sentences; a mark after a full stop belongs to the sentence before it."""
    held = ESTIMATE.sub(lambda mark: mark.group().replace(" ", "_"), re.sub(r"([.;!?])\s+(?=\(estimate)", r"\1", line))
    yield from BETWEEN.split(held)


def _invented(piece: str, known: Known) -> Iterator[str]:
    if ESTIMATE.search(piece):
        return
    figures = [*_figures(piece, small=True)]
    made = _pairs({value for each in figures if (value := each.base(known)) is not None})
    times = {COUNTS[word] for word in WORDS.findall(piece.casefold()) if word in COUNTS}
    for each in _figures(piece, small=False):
        others = {value for one in figures if not one.readings & each.readings for value in one.readings}
        products = {one * other for one, other in combinations(others, 2)}
        if not each.readings & (known.values | made | products) and not _times(each, times, known):
            yield each.text


def _times(figure: Figure, times: Iterable[int], known: Known) -> bool:
    """Whether it is a known figure as many times as a word beside it says: the newest two of 127 GB are 254."""
    return any(
        value / count in known.values and value / count > COUNTED for value in figure.readings for count in times
    )


def _figures(text: str, *, small: bool) -> Iterator[Figure]:
    for found in FIGURE.finditer(DATE.sub(" ", ORDINAL.sub("", text))):
        factor = 1000 if found["scale"] else 1
        values = frozenset(one * factor for one in readings(found["number"]))
        plain = found["number"].isdigit() and not (found["money"] or found["share"] or found["scale"])
        whole = all(one == one.to_integral_value() and (one <= COUNTED or int(one) in YEARS) for one in values)
        if small or not (plain and whole):
            fine = any(one != one.to_integral_value() for one in values) or FINE.search(found["number"])
            yield Figure(found.group().strip(), values, bool(fine), bool(found["share"]))
