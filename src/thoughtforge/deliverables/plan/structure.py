"""Whether a corrected plan is still the same plan: not shrunk, its headings kept, its tables whole."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from thoughtforge.deliverables.plan.cells import cells

LEAST = 0.5
"""The part of its former length a corrected document must keep."""
HEADING = re.compile(r"^#{1,6}[ \t]+(\S.*)$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
RULE = re.compile(r"^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")


class Table(NamedTuple):
    """One table and the heading it stands under."""

    heading: str
    header: tuple[str, ...]
    ruled: bool
    """Whether the line of dashes is there with as many columns; without it there is no table."""
    rows: tuple[tuple[str, ...], ...]


class Outline(NamedTuple):
    """What of a document may not change."""

    headings: tuple[str, ...]
    tables: tuple[Table, ...]


def fix_problems(before: str, after: str) -> tuple[str, ...]:
    """Why a corrected document is refused, all reasons; none when it may replace the old one."""
    if not after.strip():
        return ("the corrected document is empty",)
    return tuple(_problems(before, after))


def _problems(before: str, after: str) -> Iterator[str]:
    if len(after) < LEAST * len(before):
        yield f"the corrected document has {len(after)} characters, fewer than half of {len(before)}"
    old, new = outline(before), outline(after)
    for heading in old.headings:
        if old.headings.count(heading) > new.headings.count(heading):
            yield f"the heading {heading!r} is gone"
    kept = [heading for heading in new.headings if heading in old.headings]
    if sorted(kept) == sorted(old.headings) and kept != list(old.headings):
        yield "the headings are in another order"
    for table in old.tables:
        if not any((each.heading, each.header) == (table.heading, table.header) for each in new.tables):
            yield f"the table | {' | '.join(table.header)} | below {table.heading!r} is gone"
    yield from (what for table in new.tables for what in _broken(table))


def _broken(table: Table) -> Iterator[str]:
    if not table.ruled:
        yield f"the table below {table.heading!r} has no line of dashes under its header"
    if not table.rows:
        yield f"the table below {table.heading!r} has no row"
    for number, row in enumerate(table.rows, 1):
        if len(row) != len(table.header):
            yield f"row {number} below {table.heading!r} has {len(row)} cells instead of {len(table.header)}"


def outline(document: str) -> Outline:
    """The headings and tables of a document; what stands in code blocks is neither."""
    headings: list[str] = []
    tables: list[Table] = []
    block: list[str] = []
    fenced = False
    for line in [*document.splitlines(), ""]:
        fenced ^= bool(FENCE.match(line))
        if line.lstrip().startswith("|") and not fenced:
            block.append(line)
            continue
        if block:
            tables.append(_table(headings[-1] if headings else "", block))
            block = []
        found = None if fenced else HEADING.match(line)
        if found:
            headings.append(found.group(1).rstrip(" \t#"))
    return Outline(tuple(headings), tuple(tables))


def _table(heading: str, lines: list[str]) -> Table:
    header = tuple(cells(lines[0]))
    ruled = len(lines) > 1 and bool(RULE.match(lines[1].strip())) and len(cells(lines[1])) == len(header)
    return Table(heading, header, ruled, tuple(tuple(cells(line)) for line in lines[2 if ruled else 1 :]))
