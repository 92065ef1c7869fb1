"""A long plan in parts that fit into one call each: whole sections, or the entries of one that is too long alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import NamedTuple

from thoughtforge.forge.layout import AUDIT_LOG
from thoughtforge.forge.structure import key_of, line_number, sections_of

MOST_PARTS = 8
"""Calls that read one plan; what is left then is not read."""
ENTRY = re.compile(r"(?:[-*+]|\d+[.)])\s|#{3,6}\s|\*\*|\|")
HEAD = "The head"


class PlanStretch(NamedTuple):
    """Some lines of a plan, in one section."""

    name: str
    first: int
    last: int
    whole: bool = True
    """Whether they are all of the section."""

    def place(self) -> str:
        """Where it is, for people."""
        return f"{self.name}, lines {self.first}–{self.last}"


class PlanPart(NamedTuple):
    """What one call is shown."""

    text: str
    """Lines with their numbers, then where the rest is."""
    whole: tuple[str, ...]
    """The sections that are shown whole."""


class PlanReading(NamedTuple):
    """How a plan is read."""

    parts: tuple[PlanPart, ...]
    unread: tuple[str, ...] = ()
    """What nobody is shown."""


def numbered(lines: Sequence[str], first: int, last: int) -> str:
    """These lines with their numbers in the file."""
    return "\n".join(f"{number:>5}  {lines[number - 1]}" for number in range(first, last + 1))


def reading(text: str, room: int, *, size: Callable[[str], int]) -> PlanReading:
    """The plan in as few parts as fit into this room each; the audit log is part of none when there are several."""
    lines = text.splitlines()
    whole = numbered(lines, 1, len(lines))
    if size(whole) <= room:
        return PlanReading((PlanPart(whole, tuple(one.name for one in sections_of(text))),))
    unread: list[PlanStretch] = []
    parts: list[list[PlanStretch]] = [[]]
    left = room
    pieces = sorted(_pieces(text, lines, room, size), key=lambda piece: not piece.whole)  # entries are cut first
    for piece in pieces:
        needed = size(numbered(lines, piece.first, piece.last))
        if needed > room:
            unread.append(piece)
            continue
        if needed > left and parts[-1]:
            parts.append([])
            left = room
        parts[-1].append(piece)
        left -= needed
    unread += [piece for part in parts[MOST_PARTS:] for piece in part]
    sections = _sections(text, len(lines))
    shown = tuple(_part(part, sections, lines) for part in parts[:MOST_PARTS])
    return PlanReading(shown, tuple(one.place() for one in _joined(unread)))


def excerpt(text: str, room: int, *, first: Collection[str], size: Callable[[str], int]) -> PlanPart:
    """One part with these sections, and others as far as they fit; each is shown whole or not at all."""
    lines = text.splitlines()
    sections = _sections(text, len(lines))
    wanted = {key_of(name) for name in first}
    chosen: list[PlanStretch] = []
    for one in sorted(sections, key=lambda one: key_of(one.name) not in wanted):
        needed = size(numbered(lines, one.first, one.last))
        if needed <= room:
            chosen.append(one)
            room -= needed
    return _part(sorted(chosen, key=lambda one: one.first), sections, lines)


def _sections(text: str, last: int) -> list[PlanStretch]:
    """The header and every section but the audit log."""
    found = sections_of(text)
    starts = [*(line_number(text, one.start) for one in found), last + 1]
    head = [PlanStretch(HEAD, 1, starts[0] - 1)] if starts[0] > 1 else []
    rows = [PlanStretch(one.name, starts[at], starts[at + 1] - 1) for at, one in enumerate(found)]
    return [*head, *(one for one in rows if key_of(one.name) != key_of(AUDIT_LOG) and one.first <= one.last)]


def _pieces(text: str, lines: Sequence[str], room: int, size: Callable[[str], int]) -> Iterator[PlanStretch]:
    """Whole sections; of one that is too long, its entries."""
    for one in _sections(text, len(lines)):
        if size(numbered(lines, one.first, one.last)) <= room:
            yield one
            continue
        starts = [n for n in range(one.first, one.last + 1) if n == one.first or ENTRY.match(lines[n - 1])]
        for start, after in zip(starts, [*starts[1:], one.last + 1], strict=True):
            yield PlanStretch(one.name, start, after - 1, whole=False)


def _joined(pieces: Sequence[PlanStretch]) -> list[PlanStretch]:
    """Neighbours of one section as one."""
    rows: list[PlanStretch] = []
    for one in sorted(pieces, key=lambda one: one.first):
        if rows and rows[-1].name == one.name and rows[-1].last + 1 == one.first:
            rows[-1] = rows[-1]._replace(last=one.last)
        else:
            rows.append(one)
    return rows


def _part(pieces: Sequence[PlanStretch], sections: Sequence[PlanStretch], lines: Sequence[str]) -> PlanPart:
    whole = tuple(one.name for one in pieces if one.whole)
    texts = [numbered(lines, one.first, one.last) for one in _joined(pieces)]
    rest = [f"- {one.place()}" for one in sections if one not in pieces]
    if rest:
        texts.append("\n".join(["Not shown here, or not all of it:", *rest]))
    return PlanPart("\n".join(texts), whole)
