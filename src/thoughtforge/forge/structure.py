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
HIDING = re.compile(
    r"^\ufeff?[ \t]*+(?:(?P<fence>(?P<kind>[`~])(?P=kind){2,}+)"
    r"(?:(?P<whole>[^`\n]*+\n(?:[^\n]*+\n){0,8}?\ufeff?[ \t]*+(?P=fence)(?P=kind)*+[^\S\n]*+$)|(?P<info>[^\n]*))"
    r"|(?P<comment><!--))",
    re.MULTILINE,
)
"""A fence, whole when it is short, or the beginning of a comment; a fence may stand deep, below the item of a list."""
CLOSING = re.compile(r"^\ufeff?[ \t]*+(?P<fence>`{3,}+|~{3,}+)[^\S\n]*$", re.MULTILINE)


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
        level, name = mark.groups()
        if level:
            headings.append(HeadingLine(len(level), _name(name), *mark.span()))
        else:
            rules.append(Stretch(*mark.span()))
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
    closing = _Closing(text)
    regions: list[Stretch] = []
    unclosed: list[Unclosed] = []
    at = 0
    while at >= 0:
        found, at = HIDING.finditer(text, at), -1
        for mark in found:
            if mark["whole"]:
                regions.append(Stretch(*mark.span()))
                continue
            at = closing.after(mark)
            if at >= 0:
                regions.append(Stretch(mark.start(), at))
                break
            if mark["comment"]:
                unclosed.append(Unclosed(mark.start("comment"), " -->"))
            elif mark["kind"] == "~" or "`" not in mark["info"]:
                unclosed.append(Unclosed(mark.start("fence"), f"\n{mark['fence']}"))
    return Hidden(tuple(regions), tuple(unclosed))


class _Closing:
    """Where the fences and comments of a text end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.last_comment_end = text.rfind("-->")
        self.ends: dict[str, list[re.Match[str]]] | None = None
        """For each kind the fences that can close one: each is longer than all that follow, the last is first."""

    def after(self, mark: re.Match[str]) -> int:
        """Where what a mark begins ends; -1 when it is never closed."""
        if mark["comment"]:
            closed = mark.start() < self.last_comment_end
            return _line_end(self.text, self.text.index("-->", mark.start())) if closed else -1
        if mark["kind"] == "`" and "`" in mark["info"]:
            return -1
        return self._fence_end(mark)

    def _fence_end(self, mark: re.Match[str]) -> int:
        if self.ends is None:
            self.ends = _ends_of(self.text, mark.end())
        longest = self.ends[mark["kind"]]
        while longest and longest[-1].end() <= mark.end():
            longest.pop()  # marks are asked for in their order
        if not longest or len(longest[-1]["fence"]) < len(mark["fence"]):
            return -1
        closer = re.compile(rf"^\ufeff?[ \t]*+{mark['fence']}{mark['kind']}*+[^\S\n]*$", re.MULTILINE)
        found = closer.search(self.text, mark.end())
        return found.end() if found else -1


def _ends_of(text: str, at: int) -> dict[str, list[re.Match[str]]]:
    ends: dict[str, list[re.Match[str]]] = {"`": [], "~": []}
    for found in reversed(list(CLOSING.finditer(text, at))):
        longest = ends[found["fence"][0]]
        if not longest or len(found["fence"]) > len(longest[-1]["fence"]):
            longest.append(found)
    return ends


def outside(found: Iterable[re.Match[str]], hidden: Sequence[Stretch]) -> Iterator[re.Match[str]]:
    """The marks that stand in no hidden region."""
    if not hidden:
        yield from found
        return
    ahead = iter((*hidden, None))
    region = next(ahead)
    for mark in found:
        while region and region.end <= mark.start():
            region = next(ahead)
        if not (region and region.start <= mark.start()):
            yield mark


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _name(raw: str) -> str:
    """A heading's text without the marks that may close it."""
    name = raw.strip()
    if not name.endswith("#"):
        return name
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
