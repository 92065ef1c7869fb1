"""Which lines of which files fit a request best, in the room there is: every line has a worth, the best are shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.agent.tokens import estimate

DEFINES = re.compile(
    r"\s*(?:export\s+|pub\s+|async\s+|static\s+|public\s+|default\s+)*"
    r"(?:(?:def|class|func|function|fn|type|interface|struct|impl|module|const|let|var|enum|trait)\s+(\w+)|(\w+)\s*(?::[^=]*)?=(?!=))"
)
"""A line that gives something its name."""
HEAD = re.compile(
    r"\s*(?:(?:export|pub|async|static|public|private|default)\s+)*"
    r"(?:def|class|func|function|fn|type|interface|struct|impl|module)\b"
)
"""A line that begins something: it opens a block in most languages."""
ACTS = re.compile(r"\s*(?:(?:export|pub|async|static|public|private|default)\s+)*(?:def|func|function|fn)\b")
"""A line that begins a function."""
ABOUT = 0.5
"""Files that count for no more are about the code: tests, benchmarks and examples."""
CLOSING = re.compile(r"\s*[)\]}]")
REMARK = re.compile(r"\s*(?:#|//|/\*|\*|--|;|>>>|\.\.\s|import\b|from\s+\S+\s+import\b|use\s|using\s)")
"""A line that does nothing itself: a comment, or one that brings in names."""
QUOTES = re.compile(r'"""|\'\'\'')
TEXT = re.compile(r"\s*[rubf]{0,2}(?:\"{3}|'{3})", re.IGNORECASE)
OPTION = "--"
"""The word for any option of a command; a new one belongs where the others are declared."""
DECLARED = re.compile(r"""["'](?:-\w["'], *["'])?--[a-z]""", re.IGNORECASE)
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""A part of a name: `wrapText` and `wrap_text` have two."""
SIGNATURE = 16
"""The most lines of a definition's head that are shown with it."""
REMARKS = 0.3
"""What prose in code counts for beside code."""
NEAR = 6
"""How far apart words may stand and still be about one thing."""
AROUND = 4
"""Lines shown above and below a line that was chosen, where what it belongs to is too long to be shown whole."""
FUNCTION = 60
"""The most lines of what a chosen line belongs to that are shown with it."""
SHORT = 40
"""A file of no more lines is shown as a whole, or not at all."""
LEAST = 0.2
"""Lines worth less than this part of the best one are not shown."""
GAP = 4
"""Lines left out between two that are shown, at least."""
UPWARD = 80
"""Lines to look upward for the head of what a line belongs to."""
MARK = 3
"""Tokens of a line's number."""
WHOLE = 0.75
"""The part of the room that the definition of a name of the request may take as a whole."""
ASKED = 0.95
"""The part that a function may take which the request names: what it does now is what the request is about."""


class SearchTerm(NamedTuple):
    """A word to look for, what it counts for where it is used and where it is defined, and whether it is a name."""

    word: str
    worth: float
    weight: float
    named: bool = False


class SourceLines(NamedTuple):
    """A file: its lines, and what each of them counts for beside those of other files."""

    path: str
    lines: Sequence[str]
    factor: float = 1.0
    meant: float = 0.0
    """What every line is worth because the request names the file."""
    code: bool = True
    """Whether it can define a name; in prose a definition is a quotation."""


def said(line: str, wanted: Sequence[SearchTerm]) -> list[SearchTerm]:
    """The words that a line has, as a whole or as parts of its names; plain words in any number."""
    lower = line.lower()
    near = [term for term in wanted if term.word.lower() in lower]
    if not near:
        return []
    words = {word.lower() for word in re.findall(r"\w+", line)}
    parts = {part.lower() for part in PART.findall(line)}
    return [term for term in near if (DECLARED.search(line) if term.word == OPTION else _says(term, words, parts))]


def _says(term: SearchTerm, words: set[str], parts: set[str]) -> bool:
    word = term.word.lower()
    if word in words or word in parts:
        return True
    if term.named:
        return any(word in one.split("_") or one.strip("_") == word for one in words)
    return any(part.startswith(word) and len(part) <= len(word) + 3 for part in parts)


def defined(line: str, wanted: Sequence[SearchTerm]) -> list[SearchTerm]:
    """The words that this line gives a meaning."""
    found = DEFINES.match(line)
    name = (found[1] or found[2]).lower() if found else ""
    return [term for term in wanted if term.word.lower() == name]


def chosen(sources: Sequence[SourceLines], wanted: Sequence[SearchTerm], *, room: int) -> dict[str, list[int]]:
    """The lines to show of each file, the best file first; a line counts from 1."""
    ranked = _ranked(sources, wanted, room=room)
    texts = {source.path: source.lines for source in sources}
    picked: dict[str, set[int]] = {}
    for path, *choices in ranked:
        for choice in choices:
            new = set(choice) - picked.get(path, set())
            cost = sum(estimate(texts[path][at - 1]) + MARK for at in new)
            cost += 0 if path in picked else estimate(path) + 20
            if cost <= room:
                picked.setdefault(path, set()).update(new)
                room -= cost
                break
    return {path: _closed(lines, texts[path]) for path, lines in picked.items()}


class CodePassage(NamedTuple):
    """Lines of a file to show together; `less` is what to show of them where there is no room for all."""

    path: str
    lines: Sequence[int]
    less: Sequence[int]


def _ranked(sources: Sequence[SourceLines], wanted: Sequence[SearchTerm], *, room: int) -> list[CodePassage]:
    """Pieces of files, the best first: functions that the request names, then lines with what they belong to."""
    found: list[tuple[float, int, int, CodePassage]] = []
    asked: list[tuple[float, int, int, CodePassage]] = []
    for place, source in enumerate(sources):
        remarks = _remarks(source.lines)
        for at, value in enumerate(_worth(source, wanted, remarks)):
            if value and source.lines[at].strip():
                around = _around(source, at)
                found.append((-value, place, at, CodePassage(source.path, _whole(source, at) or around, around)))
        for at, term in _definitions(source.lines, wanted) if source.code else ():
            value = source.factor * (source.meant + 2 * term.weight)
            acts = source.factor > ABOUT and bool(ACTS.match(source.lines[at]))
            lines = _definition(source.lines, at, room=(ASKED if acts else WHOLE) * room)
            passage = CodePassage(source.path, lines, _signature(source.lines, at))
            (asked if acts else found).append((-value, place, at, passage))
    best = min((value for value, *_ in (*asked, *found)), default=0.0)
    return [piece for value, _, _, piece in (*sorted(asked), *sorted(found)) if value <= LEAST * best]


def _worth(source: SourceLines, wanted: Sequence[SearchTerm], remarks: Sequence[bool]) -> list[float]:
    """What each line with a word counts for: every word that is near, the nearer the more."""
    told = [
        {term: (REMARKS if remark else 1.0) for term in said(line, wanted)}
        for line, remark in zip(source.lines, remarks, strict=True)
    ]
    found = []
    for at, mine in enumerate(told):
        near: dict[SearchTerm, float] = {}
        for other in range(max(0, at - NEAR + 1), min(len(told), at + NEAR)):
            for term, part in told[other].items():
                near[term] = max(near.get(term, 0.0), part * (1 - abs(other - at) / NEAR))
        value = sum(term.worth * part for term, part in near.items()) * (REMARKS if remarks[at] else 1.0)
        found.append(source.factor * (source.meant + value) if mine or source.meant else 0.0)
    return found


def _definitions(lines: Sequence[str], wanted: Sequence[SearchTerm]) -> list[tuple[int, SearchTerm]]:
    """Where the names of the request are defined."""
    return [
        (at, term) for at, line in enumerate(lines) if HEAD.match(line) for term in defined(line, wanted) if term.named
    ]


def _definition(lines: Sequence[str], at: int, *, room: float) -> list[int]:
    """The numbers of a definition's lines: all of them when there is room, else those of its head."""
    whole = range(at + 1, _end(lines, at) + 1)
    if sum(estimate(lines[number - 1]) + MARK for number in whole) <= room:
        return list(whole)
    return _signature(lines, at)


def _signature(lines: Sequence[str], at: int) -> list[int]:
    """The numbers of the lines of a definition's head."""
    first = range(at + 1, min(len(lines), at + SIGNATURE) + 1)
    head = next((number for number in first if lines[number - 1].rstrip().endswith((":", "{"))), at + 1)
    return list(range(at + 1, head + 1))


def _whole(source: SourceLines, at: int) -> list[int]:
    """The numbers of all lines of what a line of code belongs to; none when that is too long or nothing."""
    first = at + 1 if HEAD.match(source.lines[at]) else _head(source.lines, at + 1)
    if not source.code or len(source.lines) <= SHORT or not HEAD.match(source.lines[first - 1]):
        return []
    last = _end(source.lines, first - 1)
    while not source.lines[last - 1].strip():
        last -= 1
    return list(range(first, last + 1)) if last - first < FUNCTION else []


def _around(source: SourceLines, at: int) -> list[int]:
    """The numbers of a line, its neighbours and the head of what it belongs to."""
    lines = source.lines
    if len(lines) <= SHORT:
        return list(range(1, len(lines) + 1))
    first = at + 1 if HEAD.match(lines[at]) else max(1, at + 1 - AROUND)
    head = [_head(lines, at + 1)] if source.code else []
    return [*head, *range(first, min(len(lines), at + 1 + AROUND) + 1)]


def _remarks(lines: Sequence[str]) -> list[bool]:
    """Which lines are prose: comments, and texts between three quotes."""
    found, open_by = [], ""
    for line in lines:
        begins = not open_by and bool(TEXT.match(line))
        found.append(bool(open_by) or begins or bool(REMARK.match(line)))
        for mark in QUOTES.findall(line):
            open_by = "" if mark == open_by else open_by or (mark if begins or line.endswith(mark) else "")
    return found


def _end(lines: Sequence[str], at: int) -> int:
    """The index behind the last line of what begins at a line."""
    indent = _indent(lines[at])
    for number in range(at + 1, len(lines)):
        line = lines[number]
        if line.strip() and _indent(line) <= indent and not CLOSING.match(line):
            return number
    return len(lines)


def _head(lines: Sequence[str], number: int) -> int:
    """The nearest line above that begins what this line belongs to; the line itself when none is near."""
    indent = _indent(lines[number - 1])
    for above in range(number - 1, max(0, number - UPWARD), -1):
        line = lines[above - 1]
        if line.strip() and _indent(line) < indent and HEAD.match(line):
            return above
    return number


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _closed(picked: set[int], lines: Sequence[str]) -> list[int]:
    """The lines in order, without gaps that are hardly longer than the mark of a gap."""
    shown = sorted(picked)
    filled = set(shown)
    for one, following in zip(shown, shown[1:], strict=False):
        if following - one <= GAP + 1 or not any(line.strip() for line in lines[one : following - 1]):
            filled.update(range(one, following))
    return sorted(filled)
