"""A note cut into pieces: sentences, bullets, headings, code blocks. Whatever has a letter or a digit in it stays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

FENCE = re.compile(r"^\s*(```+|~~~+)")
HEADING = re.compile(r"^\s{0,3}#{1,6}\s+(\S.*)$")
CLOSING = re.compile(r"(?<!\S)#+$")
"""Marks a heading may end with; they are no part of it."""
BULLET = re.compile(r"^\s*[-*+•‣◦·–—>]+\s+")
NUMBERED = re.compile(r"^\s*(?:\d{1,3}[.)]|[a-z]\)|\[[ xX]\])\s+")
ROW = re.compile(r"^\s*\|")
DECORATION = re.compile(r"^[\s\-=*_~+#>|:.`•]*$")
LABEL = re.compile(r"^\W*[^\W\d][^:.!?]{0,40}:\**\s*$")
"""A line that only announces what follows: `Open questions:`."""
MARKS, CLOSERS = ".!?…:;。！？", " \t\"'”’»)]*_"
WRAPPED = 55
"""A line of at least this length that ends without a mark is taken to go on in the next one."""
END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]*_]*+(?=\s)|[。！？]+")
"""Possessive, so that a page of dots takes no longer than a page of words."""
SHORT = re.compile(
    r"(?:^|[\s(\"“])(?:e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|p\.\s?ej|etc|vs|approx|ca|bzw|evtl|inkl|incl|excl|max|min|nr|no|mr|mrs|ms"
    r"|dr|prof|st|sr|sra|ing|ud|uds|usw|jan|feb|aug|sept|oct|nov|dec|fig|vol|inc|ltd|co|tel|[^\W\d_])\.$",
    re.IGNORECASE,
)
"""What ends in a full stop and does not end a sentence: abbreviations and initials."""
MAYBE_SHORT = re.compile(r"(?:^|[\s(])(?:\d{1,3}|\d*\s?[ap]\.m)\.$", re.IGNORECASE)
"""Numbers and times of day: they go on before a small letter or a month; a number alone belongs to what it counts."""
MONTH = re.compile(r"\s(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)", re.IGNORECASE)
LONGEST_SHORT = 12


class Piece(NamedTuple):
    """One thing a person wrote."""

    text: str
    kind: Literal["sentence", "heading", "code"]
    under: str
    """The heading above it, or nothing."""


def pieces(text: str) -> list[Piece]:
    """All pieces of a text in order; white space inside a sentence is evened out, code is kept as it is."""
    found: list[Piece] = []
    under = ""
    for block, kind in _blocks(text):
        if kind == "code":
            found.append(Piece(block, "code", under))
            continue
        if kind == "heading":
            under = block.strip().rstrip(":")
            found.append(Piece(block, "heading", under))
            continue
        found += [Piece(sentence, "sentence", under) for sentence in sentences(block)]
    return [piece for piece in found if not DECORATION.match(piece.text)]


def sentences(text: str) -> list[str]:
    """The sentences of running text; a web address stays whole because nothing is cut inside a word."""
    line = " ".join(text.split())
    found, start = [], 0
    for end in END.finditer(line):
        if not _goes_on(line[start : end.end()].strip(), line[end.end() : end.end() + 5]):
            found.append(line[start : end.end()].strip())
            start = end.end()
    return [sentence for sentence in [*found, line[start:].strip()] if sentence]


def _goes_on(so_far: str, after: str) -> bool:
    """Whether the full stop is none: the end of an abbreviation, of a list number, of an ordinal."""
    end = so_far[-LONGEST_SHORT:]
    if not end.endswith(".") or SHORT.search(end):
        return end.endswith(".")
    counted = MAYBE_SHORT.search(end) is not None
    return counted and (so_far[:-1].isdecimal() or after[1:2].islower() or MONTH.match(after) is not None)


def _blocks(text: str) -> Iterator[tuple[str, Literal["sentence", "heading", "code"]]]:
    """Code blocks, headings, and runs of lines that belong together."""
    lines = text.splitlines()
    at, run = 0, ""
    while at < len(lines):
        line = lines[at]
        fence, heading = FENCE.match(line), HEADING.match(line)
        if fence or heading or not line.strip() or _begins(line) or (run and not _goes_over(lines[at - 1], line)):
            if run:
                yield run, "sentence"
            run = ""
        if fence:
            end = _fence_end(lines, at, mark=fence.group(1)[:3])
            yield "\n".join(lines[at:end]), "code"
            at = end
            continue
        if heading or LABEL.match(line):
            yield (_bare(heading.group(1)) if heading else BULLET.sub("", line).strip()), "heading"
        elif line.strip():
            run = f"{run} {BULLET.sub('', line)}".strip()
        at += 1
    if run:
        yield run, "sentence"


def _bare(heading: str) -> str:
    return CLOSING.sub("", heading.rstrip()).rstrip()


def _begins(line: str) -> bool:
    return any(pattern.match(line) for pattern in (BULLET, NUMBERED, ROW, LABEL))


def _goes_over(line: str, after: str) -> bool:
    """Whether a line goes on in the next: it is full, or the next is set in below its bullet."""
    full = len(line.rstrip()) >= WRAPPED and line.rstrip(CLOSERS)[-1:] not in MARKS
    return full or (after.startswith("  ") and not line.startswith("  "))


def _fence_end(lines: list[str], start: int, *, mark: str) -> int:
    """One past the closing fence; a fence that is never closed takes the rest."""
    for at in range(start + 1, len(lines)):
        if lines[at].strip().startswith(mark):
            return at + 1
    return len(lines)
