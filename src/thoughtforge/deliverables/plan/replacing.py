"""Sections of a plan replaced by name: which ones a finding concerns, what a fixer sees, and the document after it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import takewhile
from typing import NamedTuple

from thoughtforge.deliverables.plan.markdown import SectionText, below_heading, lines_of, outline, parts, replaced
from thoughtforge.deliverables.plan.slots import framed
from thoughtforge.deliverables.plan.structure import is_frame
from thoughtforge.deliverables.plan.template import BREAK, COLUMNS, Section, cell, cells, slots_of
from thoughtforge.polish.finding import ReviewFinding
from thoughtforge.polish.locations import in_plan

NEAR = 0.85
"""How alike a heading is at least to one of the plan, for it to mean that one."""
LOWER = re.compile(r" {0,3}(#{3,6})\s+(.*?)\s*#*\s*$")
"""A heading within a section."""


class Batch(NamedTuple):
    """What one call of a fixer is about."""

    findings: tuple[ReviewFinding, ...]
    whole: tuple[str, ...]
    """The sections it is shown whole, and alone may replace, by their headings."""


def concerned(document: str, finding: ReviewFinding) -> tuple[str, ...]:
    """The sections a finding is about: where it is, and every other one it names; all when it names none."""
    headings = [part.heading for part in parts(document) if part.heading]
    said = f"{finding.description} {finding.recommendation}"
    here = [name for name in headings if in_plan(f"## {name}")(finding.location) and finding.location.strip()]
    named = [name for name in headings if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", said)]
    return tuple(name for name in headings if name in {*here, *named}) or tuple(headings)


def batches(document: str, findings: Sequence[ReviewFinding], *, fits: Callable[[str], bool]) -> tuple[Batch, ...]:
    """One call about all sections when they fit into an answer; else those concerned, as many to a call as fit."""
    texts = {part.heading: part.text for part in parts(document) if part.heading}
    if fits(document):
        return (Batch(tuple(findings), tuple(texts)),)
    about = {number: concerned(document, one) for number, one in enumerate(findings)}
    wanted = [name for name in texts if any(name in names for names in about.values())] or list(texts)
    groups: list[list[str]] = []
    for name in wanted:
        if groups and fits("\n".join(texts[each] for each in [*groups[-1], name])):
            groups[-1].append(name)
        else:
            groups.append([name])
    found = []
    for group in groups:
        mine = tuple(one for number, one in enumerate(findings) if set(group) & set(about[number]))
        found.append(Batch(mine, tuple(group)))
    return tuple(found)


def changed_sections(before: str, after: str) -> tuple[str, ...]:
    """The headings of the sections whose text differs; what stands before the first has an empty one."""
    old = {part.heading: part.text for part in parts(before)}
    return tuple(part.heading for part in parts(after) if old.get(part.heading) != part.text)


class FixerView(NamedTuple):
    """What a fixer sees of a document."""

    whole: str
    outline: str


def shown(document: str, whole: Sequence[str]) -> FixerView:
    """Some sections whole, the others with what they are to achieve."""
    found = parts(document)
    rest = [f"- {part.heading}: {_objective(part)}" for part in found if part.heading and part.heading not in whole]
    return FixerView("\n".join(part.text for part in found if part.heading in whole), "\n".join(rest))


def _objective(part: SectionText) -> str:
    frames = [table for table in outline(part.text).tables if is_frame(table)]
    return frames[0].rows[0][0] if frames and frames[0].rows else ""


class Replaced(NamedTuple):
    """A document with sections replaced, and why some were not taken."""

    text: str
    wrong: tuple[str, ...]


def corrected(document: str, sections: Sequence[Mapping[str, str]], *, given: Sequence[str]) -> Replaced:
    """The document with the sections handed in; only what was shown whole may be replaced, and by something."""
    texts = {part.heading: part.text for part in parts(document) if part.heading}
    known = {name.casefold(): name for name in texts}
    new: dict[str, str] = {}
    wrong = []
    for section in sections:
        asked = " ".join(html.unescape(section["heading"]).split()).lstrip("# ")
        name = known.get(asked.casefold()) or known.get(section["heading"].strip().casefold())
        near = get_close_matches(asked.casefold(), known, n=1, cutoff=NEAR)
        if name is None and (inside := _part_of(texts, asked)):
            name, section = inside, {"text": _with_part(new.get(inside, texts[inside]), asked, section["text"])}
        if name is None and near:
            name = known[near[0]]
        if name is None:
            wrong.append(f"there is no section {asked[:60]!r}; the sections are {', '.join(given)}")
        elif name not in given:
            wrong.append(f"the section {name!r} was not shown whole and is not replaced")
        elif not section["text"].strip():
            wrong.append(f"the section {name!r} is empty")
        else:
            new[name] = reframed(_with_frame(below_heading(name, section["text"]), texts[name]))
    return Replaced(replaced(document, new), tuple(wrong))


def _part_of(texts: Mapping[str, str], heading: str) -> str | None:
    """The only section with a lower heading of that name."""
    found = [name for name, text in texts.items() if _span(text, heading)]
    return found[0] if len(found) == 1 else None


def _span(text: str, heading: str) -> tuple[int, int] | None:
    """The lines from a lower heading to the next one as high, when there is exactly one of that name."""
    marks = [(at, LOWER.match(line.text)) for at, line in enumerate(lines_of(text)) if not line.fenced]
    heads = [(at, len(mark[1]), mark[2]) for at, mark in marks if mark]
    same = [(at, level) for at, level, name in heads if name.casefold() == heading.casefold()]
    if len(same) != 1:
        return None
    (first, high), end = same[0], len(text.splitlines())
    return first, next((at for at, level, _ in heads if at > first and level <= high), end)


def _with_part(text: str, heading: str, part: str) -> str:
    """A section with the text below one of its lower headings replaced; without text it is empty, and refused."""
    span = _span(text, heading)
    if span is None or not part.strip():
        return ""
    lines = text.splitlines()
    mine = part.strip().splitlines()
    head = LOWER.match(mine[0])
    mine = mine[1:] if head and head[2].casefold() == heading.casefold() else mine
    return "\n".join([*lines[: span[0] + 1], "", *"\n".join(mine).strip().splitlines(), "", *lines[span[1] :]])


def _with_frame(text: str, before: str) -> str:
    """The section with the frame it had, when the fixer handed in the content alone."""
    lines = before.splitlines()
    at = next((number for number, line in enumerate(lines) if tuple(map(str.casefold, cells(line))) == COLUMNS), None)
    if at is None or any(is_frame(table) for table in outline(text).tables):
        return text
    return "\n".join([*takewhile(lambda line: line.startswith("|"), lines[at:]), "", text])


def reframed(text: str) -> str:
    """A section whose frame is short: what is too long for a cell stands below the table."""
    lines = text.splitlines()
    frame = next((table for table in outline(text).tables if is_frame(table) and table.ruled and table.rows), None)
    if frame is None or len(frame.rows[0]) != len(COLUMNS):
        return text
    at = next(number for number, line in enumerate(lines) if tuple(cells(line)) == frame.rows[0])
    section = Section("s", "", "", slots_of("s"), "")
    row = [one.replace(BREAK, "\n") for one in frame.rows[0]]
    short = framed(section, dict(zip(section.cells, row, strict=True)))
    if section.body not in short:
        return text
    kept = " | ".join(cell(html.unescape(short[slot].replace(r"\|", "|"))) for slot in section.cells)
    return "\n".join([*lines[:at], f"| {kept} |", "", short[section.body], *lines[at + 1 :]])
