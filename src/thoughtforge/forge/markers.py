"""Severities that an auditor marks in its text: `Severity: high`, `[blocking]`, a cell of a table, a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding
from thoughtforge.forge.severity_words import KNOWN, WORDS, ZERO, MaxSeverity, severity_of
from thoughtforge.forge.structure import Stretch, without

NOUN = r"(?:[ \t]+(?:severity|priority|issues?|concerns?|findings?|problems?|items?|risks?))*"
STATED = re.compile(
    r"(?<![^\W_])(?:(?:max(?:imum)?|overall|highest|worst)[ _]?)?severity(?:[ _](?:level|rating))?[\"'*_`\])]*[ \t]*"
    r"(?:(?P<sign>[:=→>]|—|–|-(?=\s))|is\b)[ \t]*[\"'*_`\[(<]*[^\w\n\"'|,}\]]{0,4}"
    r"(?P<word>[^\W\d_]+(?:[- ]blocking\b)?(?:-[^\W\d_]+)*|\d+)",
    re.IGNORECASE,
)
LEAD = r"(?:(?P<item>[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|(?P<heading>#{1,6})[ \t]+)?(?:\d{1,3}[.)][ \t]+)?"
FRONT = re.compile(
    rf"^[ \t>]*{LEAD}[^\w\s#>|({{\[*_\"'`+-]{{0,3}}[ \t]*"
    rf"(?P<open>[\[({{*_`]*)(?P<word>{KNOWN}){NOUN}(?P<close>[\])}}*_`]*)(?P<rest>.*)$",
    re.IGNORECASE,
)
"""A line that begins with a severity."""
BEHIND = re.compile(
    rf"^[ \t>]*{LEAD}.*(?:[ \t*_`—–-][(\[]|[ \t](?:—|–|-|->|→)[ \t]+[*_`(\[]*)(?:severity:?[ \t]*)?"
    rf"(?P<word>{KNOWN}){NOUN}(?:[)\]][*_`]*[ \t]*(?P<rest>[:.—–-].*)?|[*_`.]*[ \t]*)$",
    re.IGNORECASE,
)
"""An item or heading with a severity in brackets or after a dash at its end, or in brackets before a colon."""
CELL = re.compile(rf"^[^\w|]*(?P<word>{KNOWN}){NOUN}[^\w|]*(?:\(.*\))?[^\w|]*$", re.IGNORECASE)
RULER = re.compile(r"^[ \t]*\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?[ \t]*+$")
NUMBER = re.compile(r"\D{0,3}(\d{1,6})\D{0,3}")
FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[\w+-]*)")
TEXTUAL = {"", "markdown", "md", "text", "txt", "json", "json5", "jsonc", "yaml", "yml", "plaintext"}
HINT = re.compile(rf"severity|{KNOWN}", re.IGNORECASE)
BLOCKS = re.compile(r"blocking|high", re.IGNORECASE)
ENOUGH = 1_000
"""So many markers, one of them blocking, are the answer."""
LONGEST = 500
"""Of a line that is longer, only its begin can be a marker; `Severity: …` counts anywhere."""


class Marked(NamedTuple):
    """A severity in a text and what is marked by it."""

    severity: MaxSeverity
    told: str = ""


def markers_in(text: str, apart: Sequence[Stretch] = ()) -> tuple[Marked, ...]:
    """Every marker of a text; what stands in some regions is left out, and so is code of a programming language."""
    text = without(text, apart)
    if not HINT.search(text):
        return ()
    lines = list(_textual(text.split("\n")))
    found: list[Marked] = []
    known, blocked = 0, False
    for number, line in enumerate(lines):
        if "|" in line and (number == 0 or "|" not in lines[number - 1]):
            found += _table(lines, number)
        if HINT.search(line) and (known <= ENOUGH or _may_block(line)):
            found += _marked(lines, number)
        blocked = blocked or any(one.severity == "blocking" for one in found[known:])
        known = len(found)
        if known > ENOUGH and blocked:
            break  # nothing stricter can follow
    return tuple(found)


def _may_block(line: str) -> bool:
    """Whether a line can hold the strictest severity; after many markers only that matters."""
    words = STATED.finditer(line)
    return bool(BLOCKS.search(line)) or any(severity_of(one["word"]) == "blocking" for one in words)


def _textual(lines: Sequence[str]) -> Iterator[str]:
    """The lines; those of a fence with code of a programming language are empty."""
    fence, code = "", False
    for line in lines:
        mark = FENCE.match(line)
        if mark and not fence:
            fence, code = mark["fence"], mark["info"].lower() not in TEXTUAL
        elif mark and mark["fence"].startswith(fence) and not mark["info"]:
            fence, code = "", False
        elif code:
            line = ""
        yield line.rstrip("\r")


def _marked(lines: Sequence[str], number: int) -> Iterator[Marked]:
    line = lines[number]
    stated = list(STATED.finditer(line))
    for one in stated:
        severity = severity_of(one["word"])
        if severity is not None and (one["sign"] or one["word"].lower() in WORDS):
            yield Marked(severity, _told(lines, number, line[one.end() : one.end() + LONGEST]))
    short = line[:LONGEST]
    front = None if stated or line.lstrip().startswith("|") else FRONT.match(short)
    if front and (severity := _front(front, lines, number)):
        yield from _with_items(severity, front, lines, number)
    elif not stated and not front and (behind := BEHIND.match(short)) and (behind["item"] or behind["heading"]):
        yield Marked(WORDS[behind["word"].lower()], _told(lines, number, short))


def _front(found: re.Match[str], lines: Sequence[str], number: int) -> MaxSeverity | None:
    """The severity a line begins with, none when it says there is nothing of it; None for a word of prose."""
    severity, rest = WORDS[found["word"].lower()], COUNTED.sub(r"\g<sign> \g<zero>", found["rest"])
    bare = rest.strip().strip("*_`")
    brackets = found["open"].strip("*_`")
    if brackets and not found["close"].strip("*_`"):
        return None
    parenthesis = brackets.startswith("(")
    bold = found["open"][:1] in ("*", "_", "`") and found["close"][-1:] in ("*", "_", "`")
    sign = bare[:1] in (":", "=") or bare[:1] in ("—", "–") or rest.lstrip().startswith(("- ", "-> "))
    group = bool(found["heading"]) and (not bare or bool(re.fullmatch(r"[:(\[]?\s*\d{1,6}\s*[)\]]?:?", bare)))
    if brackets and not parenthesis and rest.startswith("("):
        return None  # the text of a link
    if not (
        sign
        or group
        or (brackets and (not parenthesis or found["item"] or found["heading"]))
        or _bold(bold, bare, found)
    ):
        return None
    if _is_zero(bare) or (group or not bare.strip(":")) and _nothing_below(lines, number):
        return "none"
    return severity


COUNTED = re.compile(r"^[ \t]*\((?:(?P<zero>0+)|[^)\n]{1,40})\)[*_`]*[ \t]*(?P<sign>:|—|–|-(?=\s))")
"""A number or a topic in brackets between a severity and its colon: Blocking (2): …"""


def _bold(bold: bool, bare: str, found: re.Match[str]) -> bool:
    """A severity in bold at the begin of an item or heading, alone on its line, or before a bracket."""
    return bold and (not bare or bool(found["item"] or found["heading"]) or bare[:1] in "([")


def _is_zero(bare: str) -> bool:
    """Whether what stands behind a severity says that there is none of it."""
    return bool(ZERO.match(bare.lstrip(":=—–- ([*_`")))


def _nothing_below(lines: Sequence[str], number: int) -> bool:
    """Whether the first line below a group says that nothing was found."""
    below = next((line for line in lines[number + 1 : number + 20] if line.strip()), "")
    return not below.lstrip().startswith("#") and bool(ZERO.match(below.strip().lstrip("-*+>_` ([")))


def _with_items(severity: MaxSeverity, front: re.Match[str], lines: Sequence[str], number: int) -> Iterator[Marked]:
    """A marker; when it stands over a list, one for each item."""
    bare = front["rest"].strip().strip("*_`:—–- ])")
    items = _items(lines, number) if severity != "none" and not re.search(r"[^\W\d]", bare) else []
    if items:
        yield from (Marked(severity, item) for item in items)
    else:
        yield Marked(severity, _told(lines, number, front["rest"]))


ITEM = re.compile(r"[ \t]{0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+(?P<text>.+)")


def _items(lines: Sequence[str], number: int) -> list[str]:
    """The items of the list directly below a line."""
    found = []
    for at in range(number + 1, len(lines)):
        line = lines[at]
        item = ITEM.match(line)
        if item and not FRONT.match(line[:LONGEST]):
            found.append(item["text"].strip())
        elif line.strip() and not line.startswith((" ", "\t")):
            break
    return found


def _told(lines: Sequence[str], number: int, rest: str) -> str:
    """What a marker is about: the rest of its line, else the nearest line with text above or below it."""
    plain = _words(rest)
    if plain:
        return plain
    above = next((line for line in lines[max(0, number - 3) : number][::-1] if _words(line)), "")
    below = next((line for line in lines[number + 1 : number + 4] if _words(line)), "")
    return _words(above) or _words(below)


def _words(text: str) -> str:
    plain = text[:LONGEST].replace("**", "").strip().strip("#*_`>|:—–-[](){}\"', \t")
    return plain if re.search(r"[^\W\d_]{2,}", plain) else ""


def _table(lines: Sequence[str], first: int) -> Iterator[Marked]:
    """The severities in the rows of a table; a row or column of counts says how many there are."""
    block: list[str] = []
    while first + len(block) < len(lines) and "|" in lines[first + len(block)]:
        block.append(lines[first + len(block)])
    ruled = len(block) > 1 and bool(RULER.match(block[1]))
    if not ruled and not block[0].lstrip().startswith("|"):
        return
    header = _cells(block[0]) if ruled else []
    column = next((at for at, cell in enumerate(header) if "severity" in cell.lower()), None)
    for row in map(_cells, block[2 if ruled else 0 :]):
        yield from _row(row, header, column)


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _row(row: Sequence[str], header: Sequence[str], column: int | None) -> Iterator[Marked]:
    for at, cell in enumerate(row):
        head = CELL.match(header[at]) if at < len(header) else None
        others = [each for place, each in enumerate(row) if place != at and each]
        if head and (number := NUMBER.fullmatch(cell) or ZERO.match(cell)):
            counted = bool(number.re is NUMBER and int(number[1]))
            yield Marked(WORDS[head["word"].lower()] if counted else "none")
        elif at == column and cell.strip("-*_` "):
            severity = severity_of(cell)
            zero = others and all(ZERO.fullmatch(each) for each in others)
            yield Marked("none" if zero or severity is None else severity, _longest(others))
        elif at != column and (found := CELL.match(cell)):
            zero = others and all(ZERO.fullmatch(each) for each in others)
            yield Marked("none" if zero else WORDS[found["word"].lower()], _longest(others))


def _longest(cells: Sequence[str]) -> str:
    return max(map(_words, cells), key=len, default="")


def as_findings(marked: Sequence[Marked]) -> Iterator[AuditFinding]:
    """The findings in marked text; a severity that says nothing more than its word is none."""
    for one in marked:
        if one.severity in AUDIT_SEVERITIES and one.told:
            yield AuditFinding(one.severity, one.told)
