"""Figures in the tables of a plan, and whether their totals are right."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import NamedTuple

from thoughtforge.deliverables.plan.markdown import Table

TOTAL = re.compile(
    r"(?:grand |sub-?)?totals?\b|sum\b|(?:zwischen|gesamt)?summe\b|gesamt\b|insgesamt\b|somme\b|suma\b", re.I
)
"""What the first cell of a row of totals begins with."""
ASIDE = re.compile(r"\([^()]*\)")
ABOUT = re.compile(r"^(?:~|≈|about|approx\.?|ca\.?|circa)\s*", re.I)
NUMBER = r"\d+(?:[.,]\d+|['\u2019\u00a0\u202f ]\d{3}(?!\d))*"
AMOUNT = re.compile(
    rf"(?P<sign>[-+−]?)\s*(?P<before>[^\W\d_]{{1,4}}|[€$£¥₹₽]|[A-Z]{{1,3}}[$£])?\s*(?P<minus>[-−]?)"
    rf"(?P<number>{NUMBER})(?P<scale>\s?(?:k|K|thousand|Mio\.?|million|M|m)(?=$|[\s€$£¥/]))?\s*(?P<after>\D*)"
)
SCALES = {"k": 3, "thousand": 3, "mio": 6, "mio.": 6, "million": 6, "m": 6}
NONE = re.compile(r"[\s\-–—*_~.]*")


class Amount(NamedTuple):
    """A figure as it is written; a point or comma before three digits can be read in two ways."""

    readings: tuple[Decimal, ...]
    """Thousands first, then decimals where that is possible too."""
    unit: str
    steps: tuple[Decimal, ...]
    """What the last digit counts, in each reading."""


def amount(text: str) -> Amount | None:
    """The figure in a cell; none when it is not exactly one."""
    plain = ABOUT.sub("", ASIDE.sub("", text.replace("\\", "")).strip("*_~` \t"))
    found = AMOUNT.fullmatch(plain)
    if not found:
        return None
    numbers = readings(found["number"])
    scale = (found["scale"] or "").strip().casefold()
    if scale == "m" and not _currency(found["before"], found["after"]):
        return None  # metres, minutes or millions
    sign = -1 if "-" in (found["sign"] + found["minus"]).replace("−", "-") else 1
    factor = Decimal(10) ** SCALES.get(scale, 0)
    unit = " ".join(f"{found['before'] or ''} {found['after'] or ''}".split()).strip(".;: ").casefold()
    steps = tuple(Decimal(1).scaleb(int(one.as_tuple().exponent)) * factor for one in numbers)
    return Amount(tuple(sign * one * factor for one in numbers), unit, steps)


def _currency(before: str | None, after: str | None) -> bool:
    return bool(re.search(r"[€$£¥₹₽]|\b[A-Z]{3}\b", f"{before or ''} {after or ''}"))


def readings(number: str) -> tuple[Decimal, ...]:
    """What a number can mean: 1,200 is a thousand and two hundred or, less often, one point two."""
    plain = re.sub(r"['\u2019\u00a0\u202f ]", "", number)
    marks = [mark for mark in plain if mark in ".,"]
    if not marks:
        return (Decimal(plain),)
    last = marks[-1]
    head, _, tail = plain.rpartition(last)
    decimal = Decimal(f"{re.sub(r'[.,]', '', head)}.{tail}")
    if len(set(marks)) == 2:
        return (decimal,)
    thousands = Decimal(plain.replace(last, ""))
    if len(marks) > 1:
        return (thousands,)
    return (thousands, decimal) if len(tail) == 3 and head.lstrip("0") else (decimal,)


class WrongSum(NamedTuple):
    """A total that is not what its rows add up to."""

    heading: str
    column: str
    label: str
    stated: str
    added: Decimal
    rows: tuple[str, ...]

    def told(self) -> str:
        """It in a sentence, with the figures."""
        return (
            f"the row {self.label!r} says {self.stated} under {self.column!r}, "
            f"the rows above add up to {self.added:,f} ({' + '.join(self.rows)})"
        )


def wrong_sums(tables: Sequence[Table]) -> tuple[WrongSum, ...]:
    """Totals that are wrong however their figures are read; what cannot be read is not judged."""
    return tuple(found for column in _columns(tables) if not column.unclear for found in _wrong(column))


def unchecked(tables: Sequence[Table]) -> tuple[str, ...]:
    """Columns that have a total and were not added up, and why, a sentence each."""
    return tuple(
        f"{column.heading}: the column {column.name!r} was not added up: {column.unclear}"
        for column in _columns(tables)
        if column.unclear
    )


class Column(NamedTuple):
    """A column with a total: the label, text and figure of each row."""

    heading: str
    name: str
    rows: tuple[tuple[str, str, Amount | None], ...]
    unclear: str = ""


def _columns(tables: Sequence[Table]) -> Iterator[Column]:
    for table in tables:
        labels = [label_of(row) for row in table.rows]
        if not any(TOTAL.match(label) for label in labels):
            continue
        for place, name in enumerate(table.header):
            texts = [row[place] if place < len(row) else "" for row in table.rows]
            rows = tuple((label, text, amount(text)) for label, text in zip(labels, texts, strict=True))
            if any(figure and TOTAL.match(label) and label != text.strip("*_ ") for label, text, figure in rows):
                yield Column(table.heading, name, rows, _unclear(rows))


def label_of(row: Sequence[str]) -> str:
    """What a row is about: its first cell that holds anything."""
    return next((cell.strip("*_~` ") for cell in row if cell.strip("*_~` ")), "")


def _unclear(rows: Sequence[tuple[str, str, Amount | None]]) -> str:
    """Why a column cannot be added up: a cell that is no plain amount, or figures of several kinds."""
    odd = next((text for _, text, figure in rows if figure is None and any(mark.isdigit() for mark in text)), "")
    if odd:
        return f"{odd!r} is no plain amount"
    units = sorted({figure.unit for _, _, figure in rows if figure and figure.unit})
    return f"its figures are in {', '.join(units)}" if len(units) > 1 else ""


def _wrong(column: Column) -> Iterator[WrongSum]:
    """A column is right when one way to read its points and commas makes every total right."""
    most = max((len(figure.readings) for _, _, figure in column.rows if figure), default=1)
    tries = [tuple(_checked(column, way)) for way in range(most)]
    if all(tries):
        yield from tries[0]


def _checked(column: Column, way: int) -> Iterator[WrongSum]:
    read = [(label, text, _read(figure, way)) for label, text, figure in column.rows if figure]
    fine = min((one.step for _, _, one in read), default=Decimal(1))
    since: list[Decimal] = []
    above: list[tuple[str, Decimal]] = []
    totals: list[Decimal] = []
    for label, text, (value, step) in read:
        if not TOTAL.match(label):
            since.append(value)
            above.append((text.strip("*_ "), value))
            continue
        slack = step / 2 if step > fine else Decimal(0)  # a total may be rounded
        added = sum((each for _, each in above), Decimal(0))
        if above and not any(abs(value - one) <= slack for one in (added, *_sums(since, totals))):
            rows = tuple(each for each, _ in above)
            yield WrongSum(column.heading, column.name, label, text.strip("*_ "), added, rows)
        totals.append(value)
        since = []


class Read(NamedTuple):
    """A figure read in one way."""

    value: Decimal
    step: Decimal


def _read(figure: Amount, way: int) -> Read:
    place = min(way, len(figure.readings) - 1)
    return Read(figure.readings[place], figure.steps[place])


def _sums(since: Sequence[Decimal], totals: Sequence[Decimal]) -> Iterator[Decimal]:
    """What a total may be besides the sum of all rows: of those since the last total, with that total, or with all."""
    part = sum(since, Decimal(0))
    if since:
        yield part
    if totals:
        yield totals[-1] + part
        yield sum(totals, Decimal(0)) + part
