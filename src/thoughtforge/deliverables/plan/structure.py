"""The structure of a plan: its headings and tables, whether a fix keeps them, and what a section is shown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from thoughtforge.deliverables.plan.slots import placeholder, render, render_section
from thoughtforge.deliverables.plan.template import Section, Template, cells

LEAST = 0.5
"""The part of its former length a corrected document must keep."""
HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(\S.*)$")
FENCE = re.compile(r"^\s*(?:```|~~~)")
RULE = re.compile(r"^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")


class Table(NamedTuple):
    """One table and the heading it stands under."""

    heading: str
    header: tuple[str, ...]
    ruled: bool
    """Whether the line of dashes is there with as many columns; without it there is no table."""
    rows: tuple[tuple[str, ...], ...]


class Heading(NamedTuple):
    """A heading, and how many marks it has."""

    text: str
    level: int


class Outline(NamedTuple):
    """What of a document may not change."""

    headings: tuple[Heading, ...]
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
    yield from _moved(old.headings, new.headings)
    for table in old.tables:
        if not any((each.heading, each.header) == (table.heading, table.header) for each in new.tables):
            yield f"the table | {' | '.join(table.header)} | below {table.heading!r} is gone"
    yield from (what for table in new.tables for what in _broken(table))
    yield from (what for table, was in _pairs(old.tables, new.tables) for what in _emptied(table, was))


def _moved(old: tuple[Heading, ...], new: tuple[Heading, ...]) -> Iterator[str]:
    texts, now = [heading.text for heading in old], [heading.text for heading in new]
    for heading in old:
        if texts.count(heading.text) > now.count(heading.text):
            yield f"the heading {heading.text!r} is gone"
        elif old.count(heading) > new.count(heading):
            level = next(each.level for each in new if each.text == heading.text and each.level != heading.level)
            yield f"the heading {heading.text!r} has level {level} instead of {heading.level}"
    kept = [text for text in now if text in texts]
    if sorted(kept) == sorted(texts) and kept != texts:
        yield "the headings are in another order"


def _pairs(old: tuple[Table, ...], new: tuple[Table, ...]) -> Iterator[tuple[Table, Table]]:
    """Each table that was there before, as it is now and as it was."""
    left = list(old)
    for table in new:
        was = next((each for each in left if (each.heading, each.header) == (table.heading, table.header)), None)
        if was is not None:
            left.remove(was)
            yield table, was


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


def outline(document: str) -> Outline:
    """The headings and tables of a document; what stands in code blocks is neither."""
    headings: list[Heading] = []
    tables: list[Table] = []
    block: list[str] = []
    fenced = False
    for line in [*document.splitlines(), ""]:
        fenced ^= bool(FENCE.match(line))
        if line.lstrip().startswith("|") and not fenced:
            block.append(line)
            continue
        if block:
            tables.append(_table(headings[-1].text if headings else "", block))
            block = []
        found = None if fenced else HEADING.match(line)
        if found:
            headings.append(Heading(found.group(2).rstrip(" \t#"), len(found.group(1))))
    return Outline(tuple(headings), tuple(tables))


def _table(heading: str, lines: list[str]) -> Table:
    header = tuple(cells(lines[0]))
    ruled = len(lines) > 1 and bool(RULE.match(lines[1].strip())) and len(cells(lines[1])) == len(header)
    return Table(heading, header, ruled, tuple(tuple(cells(line)) for line in lines[2 if ruled else 1 :]))


CUT = "\n… (the rest does not fit)\n"
LEFT_OUT = "the plan so far does not fit; shown are the slots, their part of the specification and the section before"
WORD = re.compile(r"\w{4,}")
PARAGRAPH = re.compile(r"\n\s*\n")


class SectionContext(NamedTuple):
    """The text for one section and, when something was left out, a sentence saying so."""

    text: str
    warning: str


def section_context(
    template: Template,
    section: Section,
    *,
    filled: Mapping[str, str],
    spec: str,
    title: str,
    fits: Callable[[str], bool],
) -> SectionContext:
    """The specification and the plan so far if they fit; else the slots, their part of it and the section before."""
    asked = slots_asked(section)
    whole = f"{asked}\n{spec.strip()}\n\n{render(template, filled, title=title)}"
    if fits(whole):
        return SectionContext(whole, "")
    before = _before(template, section, filled=filled)
    part = spec_part(spec, section)
    warning = f"{section.heading}: {LEFT_OUT}"
    text = f"{asked}\n{part}\n\n{before}"
    if fits(text):
        return SectionContext(text, warning)
    return SectionContext(_shortened(asked, part, fits=fits), f"{warning}, cut to size")


def slots_asked(section: Section) -> str:
    """What a section is and which slots it has."""
    return f"Section: {section.heading}\nPurpose: {section.purpose}\nSlots: {', '.join(section.slots)}\n"


def spec_part(spec: str, section: Section) -> str:
    """The paragraphs of a specification that share a word with the section; its beginning when none does."""
    wanted = {word.casefold() for word in WORD.findall(f"{section.heading} {section.purpose}")}
    paragraphs = [part.strip() for part in PARAGRAPH.split(spec) if part.strip()]
    near = [part for part in paragraphs if wanted & {word.casefold() for word in WORD.findall(part)}]
    return "\n\n".join(near or paragraphs[:2])


def _before(template: Template, section: Section, *, filled: Mapping[str, str]) -> str:
    place = [each.name for each in template.sections].index(section.name)
    return render_section(template, template.sections[place - 1], filled=filled) if place else ""


def _shortened(asked: str, part: str, *, fits: Callable[[str], bool]) -> str:
    """As much of the specification's part as fits; the slots are always there."""
    low, high = 0, len(part)
    while low < high:
        middle = (low + high + 1) // 2
        if fits(f"{asked}\n{part[:middle]}{CUT}"):
            low = middle
        else:
            high = middle - 1
    return f"{asked}\n{part[:low]}{CUT}" if low else asked
