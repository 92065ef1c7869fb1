"""The structure of a Markdown file: headings, rules and sections. What stands in code fences and comments is text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

MARK = re.compile(
    r"^\ufeff?[ \t]*+(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|(?P<comment><!--)"
    r"|(?P<marks>#{1,6})(?P<name>(?:[ \t][^\n]*|\r)?)$|(?P<rule>-(?:[ \t]*+-){2,})[ \t\r]*+$)",
    re.MULTILINE,
)
DEEP = 4
"""Spaces that make code of a heading or a rule; a fence may stand deeper, below the item of a list."""


class Region(NamedTuple):
    """A stretch of a text, in characters."""

    start: int
    end: int


class HeadingLine(NamedTuple):
    """A heading of a file."""

    level: int
    name: str
    start: int
    end: int
    """Where its line ends, without the line break."""


class Marks(NamedTuple):
    """Everything in a text that gives it structure."""

    headings: tuple[HeadingLine, ...]
    rules: tuple[Region, ...]
    """Lines of three or more dashes."""
    hidden: tuple[Region, ...]
    """Code fences with their fence lines, and comments that begin a line."""


class PlanSection(NamedTuple):
    """A section of level 2 as it lies in the file."""

    name: str
    """Its heading without marks."""
    text: str
    """What stands below its heading."""
    start: int
    """Where its heading begins, counted in characters."""
    end: int

    @property
    def key(self) -> str:
        """What it is found by: case and spaces do not matter."""
        return key_of(self.name)


class PlanLine(NamedTuple):
    """A line that is neither code nor comment."""

    text: str
    start: int
    """Where it begins, in characters."""


def key_of(name: str) -> str:
    """What a section is found by."""
    return " ".join(name.strip("*_` :").split()).casefold()


def marks_of(text: str) -> Marks:
    """The structure of a text. A fence or comment that is never closed hides nothing: what follows it still counts."""
    found = list(MARK.finditer(text))
    hidden = _hidden(text, found).regions
    headings: list[HeadingLine] = []
    rules: list[Region] = []
    for mark in _outside(found, hidden):
        if mark["marks"]:
            headings.append(HeadingLine(len(mark["marks"]), _name(mark["name"]), mark.start(), mark.end()))
        elif mark["rule"]:
            rules.append(Region(mark.start(), mark.end()))
    return Marks(tuple(headings), tuple(rules), hidden)


class Unclosed(NamedTuple):
    """A fence or comment that is never closed."""

    start: int
    """Where its marks begin."""
    closer: str
    """What would close it."""


class Hidden(NamedTuple):
    """The code and the comments of a text."""

    regions: tuple[Region, ...]
    unclosed: tuple[Unclosed, ...]
    """In order; once the first is closed, there is no other."""


def _hidden(text: str, found: Sequence[re.Match[str]]) -> Hidden:
    closers = _closers(found)
    last_comment_end = text.rfind("-->")
    regions: list[Region] = []
    unclosed: list[Unclosed] = []
    after, fence = 0, ""
    for place, mark in enumerate(found):
        if mark.start() < after or mark["marks"] or mark["rule"]:
            continue
        if fence:
            if _closes(mark, fence):
                regions[-1] = Region(regions[-1].start, mark.end())
                fence = ""
        elif mark["comment"]:
            if mark.start() < last_comment_end:
                after = _line_end(text, text.index("-->", mark.start()))
                regions.append(Region(mark.start(), after))
            else:
                unclosed.append(Unclosed(mark.start("comment"), " -->"))
        elif mark["fence"][0] == "~" or "`" not in mark["info"]:
            if _closable(mark["fence"], closers[place + 1]):
                regions.append(Region(mark.start(), len(text)))
                fence = mark["fence"]
            else:
                unclosed.append(Unclosed(mark.start("fence"), f"\n{mark['fence']}"))
    return Hidden(tuple(regions), tuple(unclosed))


def _outside(found: Sequence[re.Match[str]], hidden: Sequence[Region]) -> Iterator[re.Match[str]]:
    """The marks that stand in no hidden region and not so deep that they are code."""
    ahead = iter((*hidden, None))
    region = next(ahead)
    for mark in found:
        while region and region.end <= mark.start():
            region = next(ahead)
        inside = region and region.start <= mark.start()
        if not inside and len(mark.group()) - len(mark.group().lstrip("\ufeff \t")) < DEEP:
            yield mark


class Closers(NamedTuple):
    """The longest fences that can close one, from a place to the end of the text."""

    ticks: int
    waves: int


def _closers(found: Sequence[re.Match[str]]) -> list[Closers]:
    longest = [Closers(0, 0)]
    for mark in reversed(found):
        ticks, waves = longest[-1]
        if mark["fence"] and not mark["info"].strip():
            size = len(mark["fence"])
            ticks, waves = (max(ticks, size), waves) if mark["fence"][0] == "`" else (ticks, max(waves, size))
        longest.append(Closers(ticks, waves))
    return longest[::-1]


def _closable(fence: str, after: Closers) -> bool:
    return len(fence) <= (after.ticks if fence[0] == "`" else after.waves)


def _closes(mark: re.Match[str], fence: str) -> bool:
    return bool(mark["fence"]) and mark["fence"].startswith(fence) and not mark["info"].strip()


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _name(raw: str) -> str:
    """A heading's text without the marks that may close it."""
    name = raw.strip()
    bare = name.rstrip("#")
    return bare.rstrip() if not bare or bare[-1:].isspace() else name


def lines_of(text: str) -> Iterator[PlanLine]:
    """The lines that are neither code nor comment."""
    after = 0
    for region in (*marks_of(text).hidden, Region(len(text), len(text))):
        if after < region.start:
            yield from _lines(text, after, region.start)
        after = min(region.end + 1, len(text))
    if after < len(text):
        yield from _lines(text, after, len(text))


def _lines(text: str, start: int, end: int) -> Iterator[PlanLine]:
    for line in text[start:end].split("\n"):
        if start < end:
            yield PlanLine(line.rstrip("\r"), start)
        start += len(line) + 1


def sections_of(text: str) -> tuple[PlanSection, ...]:
    """Every section in order, also those whose heading stands twice."""
    heads = [heading for heading in marks_of(text).headings if heading.level == 2]
    ends = [*(heading.start for heading in heads), len(text)][1:]
    return tuple(
        PlanSection(heading.name, text[min(heading.end + 1, end) : end], heading.start, end)
        for heading, end in zip(heads, ends, strict=True)
    )


def section(text: str, name: str) -> str:
    """The text of all sections of a name, in order; empty when there is none."""
    return "\n".join(one.text for one in sections_of(text) if one.key == key_of(name))


def closed(text: str) -> str:
    """The text with every fence and comment closed at the end of its section, so that it hides nothing that follows."""
    starts = [one.start for one in sections_of(text)]
    parts = [text[start:end] for start, end in pairwise([0, *starts, len(text)])]
    return "".join(map(_closed, parts))


def _closed(part: str) -> str:
    unclosed = _hidden(part, list(MARK.finditer(part))).unclosed
    kept = part.rstrip()
    return f"{kept}{unclosed[0].closer}{part[len(kept) :]}" if unclosed else part


def escaped(text: str) -> str:
    """The text with a backslash before every fence and comment that is never closed; all else means what it meant."""
    for one in reversed(_hidden(text, list(MARK.finditer(text))).unclosed):
        text = f"{text[: one.start]}\\{text[one.start :]}"
    return text


def line_number(text: str, at: int) -> int:
    """The number of the line a character stands in, from 1."""
    return text.count("\n", 0, at) + 1


def within(regions: Sequence[Region], at: int) -> bool:
    """Whether a character stands in one of these regions, which are in order."""
    place = bisect_right(regions, at, key=lambda region: region.start) - 1
    return place >= 0 and at < regions[place].end
