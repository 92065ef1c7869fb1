"""The structure of a Markdown file: headings, rules and sections. What stands in code fences and comments is text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

HEAD = re.compile(
    r"^\ufeff? {0,3}(?:(?P<marks>#{1,6})(?P<name>(?:[ \t][^\n]*|\r)?)$|-(?:[ \t]*+-){2,}[ \t\r]*+$)", re.MULTILINE
)
"""A heading or a rule."""
HIDING = re.compile(r"^\ufeff?[ \t]*+(?:(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)|(?P<comment><!--))", re.MULTILINE)
"""A fence or the beginning of a comment; a fence may stand deep, below the item of a list."""


class Stretch(NamedTuple):
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
    rules: tuple[Stretch, ...]
    """Lines of three or more dashes."""
    hidden: tuple[Stretch, ...]
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


@lru_cache(maxsize=2_000)  # headings and section names come back again and again
def key_of(name: str) -> str:
    """What a section is found by."""
    return " ".join(name.strip("*_` :").split()).casefold()


@lru_cache(maxsize=16)  # one plan is asked many questions
def marks_of(text: str) -> Marks:
    """The structure of a text. A fence or comment that is never closed hides nothing: what follows it still counts."""
    hidden = _hidden(text).regions
    headings: list[HeadingLine] = []
    rules: list[Stretch] = []
    for mark in outside(HEAD.finditer(text), hidden):
        if mark["marks"]:
            headings.append(HeadingLine(len(mark["marks"]), _name(mark["name"]), mark.start(), mark.end()))
        else:
            rules.append(Stretch(mark.start(), mark.end()))
    return Marks(tuple(headings), tuple(rules), hidden)


class Unclosed(NamedTuple):
    """A fence or comment that is never closed."""

    start: int
    """Where its marks begin."""
    closer: str
    """What would close it."""


class Hidden(NamedTuple):
    """The code and the comments of a text."""

    regions: tuple[Stretch, ...]
    unclosed: tuple[Unclosed, ...]
    """In order; once the first is closed, there is no other."""


def _hidden(text: str) -> Hidden:
    found = list(HIDING.finditer(text))
    closers = _closers(found)
    last_comment_end = text.rfind("-->")
    regions: list[Stretch] = []
    unclosed: list[Unclosed] = []
    after, begun = 0, -1
    fence = ""
    for place, mark in enumerate(found):
        start = mark.start()
        if start < after:
            continue
        if fence:
            if _closes(mark, fence):
                regions.append(Stretch(begun, mark.end()))
                fence = ""
        elif mark["comment"]:
            if start < last_comment_end:
                after = _line_end(text, text.index("-->", start))
                regions.append(Stretch(start, after))
            else:
                unclosed.append(Unclosed(mark.start("comment"), " -->"))
        elif mark["fence"][0] == "~" or "`" not in mark["info"]:
            if len(mark["fence"]) <= closers[mark["fence"][0]][place]:
                begun, fence = start, mark["fence"]
            else:
                unclosed.append(Unclosed(mark.start("fence"), f"\n{mark['fence']}"))
    return Hidden(tuple(regions), tuple(unclosed))


def _closers(found: Sequence[re.Match[str]]) -> dict[str, list[int]]:
    """For each kind of fence and each place: how long the longest fence is that can close one, after that place."""
    longest = {"`": [0] * len(found), "~": [0] * len(found)}
    most = {"`": 0, "~": 0}
    for place in range(len(found) - 1, -1, -1):
        mark = found[place]
        for kind, sizes in longest.items():
            sizes[place] = most[kind]
        if mark["fence"] and not mark["info"].strip():
            most[mark["fence"][0]] = max(most[mark["fence"][0]], len(mark["fence"]))
    return longest


def outside(found: Iterable[re.Match[str]], hidden: Sequence[Stretch]) -> Iterator[re.Match[str]]:
    """The marks that stand in no hidden region."""
    ahead = iter((*hidden, None))
    region = next(ahead)
    for mark in found:
        while region and region.end <= mark.start():
            region = next(ahead)
        if not (region and region.start <= mark.start()):
            yield mark


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
    for region in (*marks_of(text).hidden, Stretch(len(text), len(text))):
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


@lru_cache(maxsize=16)
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
    unclosed = _hidden(part).unclosed
    kept = part.rstrip()
    return f"{kept}{unclosed[0].closer}{part[len(kept) :]}" if unclosed else part


def escaped(text: str) -> str:
    """The text with a backslash before every fence and comment that is never closed; all else means what it meant."""
    for one in reversed(_hidden(text).unclosed):
        text = f"{text[: one.start]}\\{text[one.start :]}"
    return text


def line_number(text: str, at: int) -> int:
    """The number of the line a character stands in, from 1."""
    return text.count("\n", 0, at) + 1


def without(text: str, regions: Sequence[Stretch]) -> str:
    """The text with an empty line in the place of each of these regions."""
    ends = [0, *(region.end for region in regions)]
    starts = [*(region.start for region in regions), len(text)]
    return "\n\n".join(text[start:end] for start, end in zip(ends, starts, strict=True))
