"""Markdown of a plan: what an agent wrote, made fit for below a table, and the sections and tables of a document."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.deliverables.plan.template import CONTROL, cells

FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(\S.*))?$")
RULE = re.compile(r"^\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?$")
UNDERLINE = re.compile(r"^ {0,3}(=+|-+)\s*$")
CODE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)")
TAG = re.compile(r"<(?!br>|(?:https?|mailto):[^\s<>]*>)")
SECTION = 2
"""The level of a section's heading; what an agent writes below has a lower one."""


class Line(NamedTuple):
    """A line of a document."""

    text: str
    fenced: bool
    """Whether it belongs to a code block: then it is neither heading nor table."""


def lines_of(document: str) -> Iterator[Line]:
    """The lines; a code block ends with a fence like the one it began with, or with the document."""
    fence = ""
    for text in document.splitlines():
        found = FENCE.match(text)
        if fence:
            yield Line(text, fenced=True)
            if found and found[1].startswith(fence) and not text.strip().strip(fence[0]):
                fence = ""
        else:
            fence = found[1] if found else ""
            yield Line(text, fenced=bool(found))


def body(text: str) -> str:
    """What stands below the table of a section: lower headings, no raw HTML, whole tables, closed fences."""
    lines = list(lines_of(CONTROL.sub("", text).strip("\n")))
    plain = [line if line.fenced else line._replace(text=_harmless(line.text)) for line in lines]
    mended = "\n".join(_spaced(list(_tables(plain))))
    fence = _open_fence(mended)
    return f"{mended}\n{fence}" if fence else mended


def _open_fence(text: str) -> str:
    """The fence that is still open at the end."""
    fence = ""
    for line in text.splitlines():
        found = FENCE.match(line)
        if fence and found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and found:
            fence = found[1]
    return fence


def _harmless(line: str) -> str:
    found = HEADING.match(line)
    if found and len(found[1]) <= SECTION:
        line = f"{'#' * (SECTION + 1)} {found[2] or ''}".rstrip()
    pieces, end = [], 0
    for code in CODE.finditer(line):
        pieces += [TAG.sub("&lt;", line[end : code.start()]), code.group()]
        end = code.end()
    return "".join([*pieces, TAG.sub("&lt;", line[end:])]).rstrip()


def _spaced(lines: Sequence[Line]) -> Iterator[str]:
    """The lines with what would make a heading of the line before kept away from it, and room before a table."""
    before = ""
    for text, fenced in lines:
        mark = None if fenced or not before.strip() or before.lstrip().startswith("|") else UNDERLINE.match(text)
        if mark and mark[1].startswith("="):
            yield rf"\{text.strip()}"
        elif mark or (not fenced and _row(text) and before.strip() and not _row(before)):
            yield from ("", text)
        else:
            yield text
        before = "" if fenced else text


def _row(text: str) -> bool:
    return text.startswith("|")


def _tables(lines: Sequence[Line]) -> Iterator[Line]:
    """The lines with every table in one form: outer bars, a line of dashes, as many cells in each row."""
    number = 0
    while number < len(lines):
        block = _block(lines[number:])
        if block:
            yield from (Line(text, fenced=False) for text in _whole(block))
        else:
            text, fenced = lines[number]
            alone = not fenced and text.lstrip().startswith("|")
            yield Line(rf"\{text.lstrip()}" if alone else text, fenced)
        number += max(1, len(block))


def _block(lines: Sequence[Line]) -> list[str]:
    """The table that begins here: two rows or more with bars, or a header, a line of dashes and a row."""
    found = []
    for text, fenced in lines:
        if fenced or "|" not in text.replace(r"\|", ""):
            break
        found.append(text)
    barred = all(text.lstrip().startswith("|") for text in found)
    ruled = len(found) > 1 and "|" in found[0] and bool(RULE.match(found[1].strip()))
    return found if len(found) > 1 + ruled and (ruled or barred) else []


def _whole(block: Sequence[str]) -> Iterator[str]:
    header = cells(block[0])
    ruled = bool(RULE.match(block[1].strip()))
    marks = cells(block[1]) if ruled else []
    yield _joined(header)
    yield f"|{'|'.join(_rule(mark) for mark in [*marks, *['---'] * len(header)][: len(header)])}|"
    for row in block[2 if ruled else 1 :]:
        found = cells(row)
        kept = [*found[: len(header) - 1], r" \| ".join(found[len(header) - 1 :])]
        yield _joined([*kept, *[""] * (len(header) - len(kept))])


def _rule(mark: str) -> str:
    return f"{':' if mark.startswith(':') else ''}---{':' if mark.endswith(':') else ''}"


def _joined(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"


class Table(NamedTuple):
    """One table and the heading it stands under."""

    heading: str
    header: tuple[str, ...]
    ruled: bool
    """Whether the line of dashes is there with as many columns; without it there is no table."""
    rows: tuple[tuple[str, ...], ...]

    @property
    def key(self) -> tuple[str, ...]:
        """Its header in small letters, marks left out."""
        return tuple(text.strip("*_` ").casefold() for text in self.header)


class Heading(NamedTuple):
    """A heading, and how many marks it has."""

    text: str
    level: int


class Outline(NamedTuple):
    """What of a document is structure; a table belongs to the section it stands in."""

    headings: tuple[Heading, ...]
    tables: tuple[Table, ...]


def outline(document: str) -> Outline:
    """The headings and tables of a document; what stands in code blocks is neither."""
    headings: list[Heading] = []
    tables: list[Table] = []
    block: list[str] = []
    below = ""
    for line, fenced in [*lines_of(document), Line("", fenced=False)]:
        if line.lstrip().startswith("|") and not fenced:
            block.append(line)
            continue
        if block:
            tables.append(_table(below, block))
            block = []
        found = None if fenced else HEADING.match(line)
        if found and found[2]:
            headings.append(Heading(found[2].rstrip(" \t#"), len(found[1])))
            below = headings[-1].text if headings[-1].level <= SECTION else below
    return Outline(tuple(headings), tuple(tables))


def _table(heading: str, lines: list[str]) -> Table:
    header = tuple(cells(lines[0]))
    ruled = len(lines) > 1 and bool(RULE.match(lines[1].strip())) and len(cells(lines[1])) == len(header)
    return Table(heading, header, ruled, tuple(tuple(cells(line)) for line in lines[2 if ruled else 1 :]))


class SectionText(NamedTuple):
    """A section of a document as it lies there, its heading included; the first one may have none."""

    heading: str
    text: str


def parts(document: str) -> tuple[SectionText, ...]:
    """The document in its sections; joined again they are the same lines."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, fenced in lines_of(document):
        heading = None if fenced else HEADING.match(line)
        if heading and heading[2] and len(heading[1]) == SECTION:
            found.append((heading[2].rstrip(" \t#"), []))
        found[-1][1].append(line)
    return tuple(SectionText(heading, "\n".join(lines)) for heading, lines in found if heading or lines)


def replaced(document: str, new: Mapping[str, str]) -> str:
    """The document with the text below some headings replaced; all else stays as it is."""
    if not new:
        return document
    texts = []
    for heading, text in parts(document):
        if heading and heading in new:
            first = text.partition("\n")[0]
            texts.append(f"{first}\n\n{below_heading(heading, new[heading])}\n")
        else:
            texts.append(text)
    whole = "\n".join(texts)
    return whole if whole.endswith("\n") else f"{whole}\n"


def below_heading(heading: str, text: str) -> str:
    """A section as an agent hands it in, without the heading it may have repeated."""
    first, _, rest = text.strip().partition("\n")
    found = HEADING.match(first)
    repeated = found and (found[2] or "").rstrip(" \t#").casefold() == heading.casefold()
    return body(rest if repeated else text).strip("\n")
