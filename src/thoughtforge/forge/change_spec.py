"""What a plan says about each file: the block of text that belongs to the line that names it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from thoughtforge.forge.layout import MOST_FILES
from thoughtforge.forge.paths import Mention, mentions
from thoughtforge.forge.structure import Stretch, key_of, marks_of, sections_of

CHANGES = "Changes"
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]")
APART = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]| {0,3}#{1,6}[ \t]|[ \t]*\|")
"""An item, a heading or a row: never the rest of a paragraph."""
DEEPEST = 7


def changes_of(plan_text: str) -> str:
    """The text of the section Changes."""
    return "\n".join(one.text for one in sections_of(plan_text) if one.key == key_of(CHANGES)).replace("\r\n", "\n")


class ChangeSpecs(NamedTuple):
    """What the changes say about each file."""

    lines: tuple[str, ...]
    blocks: Mapping[str, tuple[Stretch, ...]]
    """Path → its blocks, counted in lines."""

    def of(self, paths: Iterable[str]) -> str:
        """What is said about these files, in the order of the plan, nothing twice."""
        wanted = sorted({block for path in paths for block in self.blocks.get(path, ())})
        told: list[str] = []
        after = 0
        for start, end in wanted:
            if end > after:
                told.append("\n".join(self.lines[max(start, after) : end]).strip("\n"))
                after = end
        return "\n".join(told)


def change_specs(changes: str) -> ChangeSpecs:
    """What a section says about each file, from every form in which it names one."""
    lines = changes.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    named = {bisect_right(starts, mention.start) - 1: mention for mention in mentions(changes, MOST_FILES + 1)}
    code = {
        number
        for start, end in marks_of(changes).hidden
        for number in range(bisect_right(starts, start) - 1, bisect_right(starts, end - 1))
    }
    ends = _ends(lines, code, named)
    blocks: dict[str, list[Stretch]] = {}
    for first, mention in named.items():
        for path in mention.paths:
            before = blocks.setdefault(path, [])
            if not before or before[-1].end <= first:
                before.append(Stretch(first, ends[first]))
    return ChangeSpecs(tuple(lines), {path: tuple(found) for path, found in blocks.items()})


class Opened(NamedTuple):
    """A block whose end is not reached."""

    first: int
    depth: int
    """The level of a heading, 7 for a line in bold; the indent of an item."""
    paths: tuple[str, ...]


def _ends(lines: Sequence[str], code: Collection[int], named: Mapping[int, Mention]) -> dict[int, int]:
    """First line → the line after the last that belongs to it; empty lines at its end do not."""
    ends: dict[int, int] = {}
    heads: list[Opened] = []
    items: list[Opened] = []
    told = 0
    """After the last line that is not empty."""
    for number in _busy(lines, named):
        line = lines[number]
        mention = named.get(number)
        if not (mention or heads or items) or not line.strip():
            continue
        if heads and number not in code:
            _close(heads, ends, told, lambda one: _ends_head(one, line, mention))  # noqa: B023
        if items and number not in code:
            blank = told < number
            _close(items, ends, told, lambda one: _ends_item(one, line, mention, blank=blank))  # noqa: B023
        told = number + 1
        if mention and mention.form == "row":
            ends[number] = told
        elif mention and mention.form == "item":
            items.append(Opened(number, _indent(line), mention.paths))
        elif mention:
            heads.append(Opened(number, _level(line) or DEEPEST, mention.paths))
    return ends | {one.first: told for one in (*heads, *items)}


def _close(opened: list[Opened], ends: dict[int, int], told: int, over: Callable[[Opened], bool]) -> None:
    """Take the blocks from the end of the list that are over; one that goes on keeps those around it open."""
    while opened and over(opened[-1]):
        ends[opened.pop().first] = told


def _busy(lines: Sequence[str], named: Mapping[int, Mention]) -> range:
    """The lines from the first that names a file."""
    return range(min(named, default=len(lines)), len(lines))


def _ends_head(one: Opened, line: str, mention: Mention | None) -> bool:
    """A heading or a line in bold ends at a heading that is as high, and where other files are named in its way."""
    level = _level(line)
    return 0 < level <= one.depth or _apart(one, mention)


def _ends_item(one: Opened, line: str, mention: Mention | None, *, blank: bool) -> bool:
    """An item goes on in lines that are indented deeper, and in a paragraph that no empty line keeps apart."""
    if _indent(line) > one.depth:
        return False
    return blank or _apart(one, mention) or bool(APART.match(line))


def _apart(one: Opened, mention: Mention | None) -> bool:
    return mention is not None and mention.form in ("bold", "row") and not {*one.paths} & {*mention.paths}


def _level(line: str) -> int:
    found = HEADING.match(line)
    return len(found[1]) if found else 0


def _indent(line: str) -> int:
    bare = line.lstrip()
    deep = len(line) - len(bare)
    return len(line[:deep].expandtabs(4)) if deep else 0
