"""The structure of a plan: whether a fix keeps the sections and tables that were confirmed."""

from __future__ import annotations

import html
from collections.abc import Iterator

from thoughtforge.deliverables.plan.markdown import SECTION, Heading, Table, lines_of, outline
from thoughtforge.deliverables.plan.slots import is_tasks, placeholder
from thoughtforge.deliverables.plan.template import COLUMNS, cells

LEAST = 0.5
"""The part of its former length a corrected document must keep."""


def fix_problems(before: str, after: str) -> tuple[str, ...]:
    """Why a corrected document is refused, all reasons; none when it may replace the old one."""
    if not after.strip():
        return ("the corrected document is empty",)
    return tuple(_problems(before, after))


def _problems(before: str, after: str) -> Iterator[str]:
    if len(after) < LEAST * len(before):
        yield f"the corrected document has {len(after)} characters, fewer than half of {len(before)}"
    old, new = outline(before), outline(after)
    yield from _moved(old.headings, new.headings)
    yield from _lost(old.tables, new.tables)
    known = {what for table in old.tables for what in _broken(table)}
    yield from (what for table in new.tables for what in _broken(table) if what not in known)
    yield from (what for table, was in _pairs(old.tables, new.tables) for what in _emptied(table, was))
    yield from _stand_ins(before, after)


def _moved(old: tuple[Heading, ...], new: tuple[Heading, ...]) -> Iterator[str]:
    """The title and the sections stay, no section is added; headings within a section are content."""
    fixed = [heading for heading in old if heading.level <= SECTION]
    texts, now = [heading.text for heading in fixed], [each.text for each in new if each.level <= SECTION]
    for heading in fixed:
        if texts.count(heading.text) > now.count(heading.text):
            other = [each.level for each in new if each.text == heading.text and each.level != heading.level]
            level = f"has level {other[0]} instead of {heading.level}" if other else "is gone"
            yield f"the heading {heading.text!r} {level}"
    yield from (f"the heading {text!r} is new" for text in dict.fromkeys(now) if now.count(text) > texts.count(text))
    kept = [text for text in now if text in texts]
    if sorted(kept) == sorted(texts) and kept != texts:
        yield "the headings are in another order"


def _lost(old: tuple[Table, ...], new: tuple[Table, ...]) -> Iterator[str]:
    """The frame and the tasks keep their columns; another table may change them, but none may vanish."""
    for table in old:
        known = (is_frame(table) or is_tasks(table)) and not any(_same(each, table) for each in new)
        if known:
            yield f"the table | {' | '.join(table.header)} | below {table.heading!r} is gone"
    for heading in dict.fromkeys(table.heading for table in old):
        before, after = (sum(each.heading == heading for each in tables) for tables in (old, new))
        lost = [t for t in old if t.heading == heading and not any(_same(each, t) for each in new)]
        other = [table for table in lost if not is_frame(table) and not is_tasks(table)]
        if after < before and other:
            yield f"the table | {' | '.join(other[0].header)} | below {heading!r} is gone"


def _same(one: Table, other: Table) -> bool:
    return (one.heading, one.header) == (other.heading, other.header)


def is_frame(table: Table) -> bool:
    """Whether it is the table of Objective, Plan and Assessment that frames a section."""
    return table.key == COLUMNS


def _pairs(old: tuple[Table, ...], new: tuple[Table, ...]) -> Iterator[tuple[Table, Table]]:
    """Each frame that was there before, as it is now and as it was."""
    left = [table for table in old if is_frame(table)]
    for table in new:
        was = next((each for each in left if _same(each, table)), None)
        if was is not None:
            left.remove(was)
            yield table, was


def _stand_ins(before: str, after: str) -> Iterator[str]:
    """Placeholders outside the frames that were not there before."""
    known = {line.text for line in lines_of(before)}
    heading = ""
    for line, fenced in lines_of(after):
        if line.startswith("## ") and not fenced:
            heading = line[3:].strip()
        elif not fenced and line.strip() and line not in known and any(mark.isalnum() for mark in html.unescape(line)):
            found = _placeholder(line)
            if found and not _in_frame(line, after):
                yield f"a line below {heading!r} holds a placeholder ({found})"


def _in_frame(line: str, document: str) -> bool:
    row = tuple(cells(line))
    return any(row in table.rows for table in outline(document).tables if is_frame(table))


def _emptied(table: Table, was: Table) -> Iterator[str]:
    """Cells that held content and hold none now, and new ones without any; what was missing before may stay so."""
    for number, row in enumerate(table.rows, 1):
        before = was.rows[number - 1] if number <= len(was.rows) else None
        for column, now, once in zip(table.header, row, row if before is None else before, strict=False):
            where = f"{column} in row {number} below {table.heading!r}"
            if before is not None and (not once or _placeholder(once)):
                continue
            if not now and once:
                yield f"{where} is empty now"
            elif found := _placeholder(now):
                yield f"{where} holds a placeholder ({found})"


def _placeholder(cell: str) -> str:
    return placeholder(html.unescape(cell))[:40]


def _broken(table: Table) -> Iterator[str]:
    if not table.ruled:
        yield f"the table below {table.heading!r} has no line of dashes under its header"
    if not table.rows:
        yield f"the table below {table.heading!r} has no row"
    for number, row in enumerate(table.rows, 1):
        if len(row) != len(table.header):
            yield f"row {number} below {table.heading!r} has {len(row)} cells instead of {len(table.header)}"
