"""What a plan says about each file: the block of text that belongs to the line that names it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.forge.paths import HEADING, ITEM, Mention, mentions
from thoughtforge.forge.structure import Region, key_of, marks_of, sections_of, within

CHANGES = "Changes"


class SpecLine(NamedTuple):
    """A line of the changes, code lines included."""

    text: str
    start: int
    hidden: bool


def changes_of(plan_text: str) -> str:
    """The text of the section Changes."""
    return "\n".join(one.text for one in sections_of(plan_text) if one.key == key_of(CHANGES)).replace("\r\n", "\n")


class ChangeSpecs(NamedTuple):
    """What the changes say about each file."""

    lines: tuple[SpecLine, ...]
    blocks: Mapping[str, tuple[Region, ...]]
    """Path → its blocks, counted in lines."""

    def of(self, paths: Iterable[str]) -> str:
        """What is said about these files, in the order of the plan, nothing twice."""
        wanted = sorted({block for path in paths for block in self.blocks.get(path, ())})
        told: list[str] = []
        after = 0
        for start, end in wanted:
            if end > after:
                told.append("\n".join(line.text for line in self.lines[max(start, after) : end]).strip("\n"))
                after = end
        return "\n".join(told)


def change_specs(changes: str) -> ChangeSpecs:
    """What a section says about each file, from every form in which it names one."""
    lines = _lines(changes)
    place = {line.start: number for number, line in enumerate(lines)}
    named = {place[mention.start]: mention for mention in mentions(changes)}
    blocks: dict[str, list[Region]] = {}
    for first, mention in named.items():
        block = Region(first, first + 1 + _further(lines, first, named))
        for path in mention.paths:
            before = blocks.setdefault(path, [])
            if not before or before[-1].end <= first:
                before.append(block)
    return ChangeSpecs(tuple(lines), {path: tuple(found) for path, found in blocks.items()})


def _lines(text: str) -> list[SpecLine]:
    hidden = marks_of(text).hidden
    lines, at = [], 0
    for line in text.split("\n"):
        lines.append(SpecLine(line, at, within(hidden, at)))
        at += len(line) + 1
    return lines


def _further(lines: Sequence[SpecLine], first: int, named: Mapping[int, Mention]) -> int:
    """How many lines after the first belong to it."""
    form = named[first].form
    if form == "row":
        return 0
    ends = {"heading": _ends_heading, "bold": _ends_bold, "item": _ends_item}[form]
    end = last = first + 1
    while end < len(lines):
        line = lines[end]
        if not line.hidden and line.text.strip():
            blank = not lines[end - 1].hidden and not lines[end - 1].text.strip()
            if ends(lines[first].text, line.text, Around(blank, _apart(named[first], named.get(end)))):
                break
        end += 1
        last = end if line.text.strip() else last
    return last - first - 1


class Around(NamedTuple):
    """What else tells whether a block ends at a line."""

    after_blank: bool
    names_others: bool
    """Whether the line names other files in bold or in a table."""


def _apart(first: Mention, other: Mention | None) -> bool:
    return other is not None and other.form in ("bold", "row") and not {*first.paths} & {*other.paths}


def _level(line: str) -> int:
    return len(line.strip()) - len(line.strip().lstrip("#")) if HEADING.match(line) else 0


def _ends_heading(first: str, line: str, around: Around) -> bool:
    return around.names_others or 0 < _level(line) <= _level(first)


def _ends_bold(first: str, line: str, around: Around) -> bool:
    return _level(line) > 0 or around.names_others


def _ends_item(first: str, line: str, around: Around) -> bool:
    """An item goes on in lines that are indented deeper, and in a paragraph that no empty line keeps apart."""
    if _indent(line) > _indent(first):
        return False
    return around.after_blank or around.names_others or _level(line) > 0 or bool(ITEM.match(line)) or "|" in line[:1]


def _indent(line: str) -> int:
    bare = line.expandtabs(4)
    return len(bare) - len(bare.lstrip())
