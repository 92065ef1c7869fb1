"""Severities that an auditor marks in its text: `Severity: high`, `[blocking]`, a cell of a table, a heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditFinding
from thoughtforge.forge.severity_words import (
    BEGINNINGS,
    JOINED,
    KNOWN,
    OURS,
    WORDS,
    ZERO,
    MaxSeverity,
    severity_of,
    worst,
)
from thoughtforge.forge.structure import Stretch, without

NOUN = (
    r"(?:[ \t]+(?:severity|priority|issues?|concerns?|findings?|problems?|items?|risks?|bugs?|flaws?|defects?|gaps?))*"
)
STATED = re.compile(
    r"(?<![^\W_])(?:(?:max(?:imum)?|overall|highest|worst)[ _]?)?severity(?:[ _](?:level|rating))?[\"'*_`\])]*[ \t]*"
    r"(?:(?P<sign>[:=→>]|—|–|-(?=\s))|is\b)[ \t]*[\"'*_`\[(<]*[^\w\n\"'|,}\]]{0,4}"
    rf"(?P<word>[^\W\d_]+\d?(?:[- ]blocking\b)?(?:-[^\W\d_]+)*|\d+)(?P<more>{JOINED}*)",
    re.IGNORECASE,
)
LEAD = (
    r"(?:(?P<item>[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?|(?P<heading>#{1,6})[ \t]+)?(?:\d{1,3}[.)][ \t]+)?"
    r"(?:[*_`\[(]{0,3}(?P<id>F-\d{1,6})[*_`\])]{0,3}[ \t]*(?:[:—–-][ \t]+)?)?"
)
"""The marks in front of a line, and the id that a finding has in the audit log."""
FRONT = re.compile(
    rf"^[ \t>]*{LEAD}[^\w\s#>|({{\[*_\"'`+-]{{0,3}}[ \t]*"
    rf"(?P<open>[*_`]*(?P<bracket>[\[({{])?[\[({{*_`]*)(?P<word>{KNOWN}{JOINED}*){NOUN}"
    rf"(?(bracket)(?:[ \t]*[,:;/|—–-][^\])}}\n]{{1,40}}(?=[\])}}]))?)(?P<close>[\])}}*_`~]*)(?P<rest>.*)$",
    re.IGNORECASE,
)
"""A line that begins with a severity."""
BEHIND = re.compile(
    rf"^[ \t>]*{LEAD}.*?(?:[ \t*_`—–-][(\[]|[ \t](?:—|–|-|->|→)[ \t]+[*_`(\[]*)(?:severity:?[ \t]*)?"
    rf"(?P<word>{KNOWN}{JOINED}*){NOUN}(?:[)\]][*_`]*[ \t]*(?P<rest>[:.—–-].*)?|[*_`.]*[ \t]*)$",
    re.IGNORECASE,
)
"""An item or heading with a severity in brackets or after a dash at its end, or in brackets before a colon."""
CELL = re.compile(rf"^[^\w|]*(?P<word>{KNOWN}{JOINED}*){NOUN}[^\w|]*(?:\(.*\))?[^\w|]*$", re.IGNORECASE)
OWN_CELL = re.compile(rf"^[^\w|]*{OURS}(?![^\W_])", re.IGNORECASE)
SEVERITY = re.compile(r"severity|^\W*sev\b", re.IGNORECASE)
SCALE = re.compile(r"^\W*(?:level|prio(?:rity)?|rating|rank|grade|class|impact|criticality|urgency|importance)\b", re.I)
"""What stands over a column of severities."""
RULER = re.compile(r"^[ \t]*\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?[ \t]*+$")
NUMBER = re.compile(r"\D{0,3}(\d{1,6})\D{0,3}")
FENCE = re.compile(r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[\w+-]*)")
TEXTUAL = {"", "markdown", "md", "text", "txt", "json", "json5", "jsonc", "yaml", "yml", "plaintext"}
HINT = re.compile("|".join(["severity", *BEGINNINGS]))
BLOCKS = re.compile("|".join(beginning for beginning, worst in BEGINNINGS.items() if worst == "blocking"))
ENOUGH = 1_000
"""So many markers, one of them blocking, are the answer."""
LONGEST = 500
"""Of a line that is longer, only its begin can be a marker; `Severity: …` counts anywhere."""


class Marked(NamedTuple):
    """A severity in a text and what is marked by it."""

    severity: MaxSeverity
    told: str = ""
    place: str = ""


def markers_in(text: str, apart: Sequence[Stretch] = ()) -> tuple[Marked, ...]:
    """Every marker of a text; what stands in some regions is left out, and so is code of a programming language."""
    text = without(text, apart)
    if not HINT.search(text.lower()):
        return ()
    lines = list(_textual(text.split("\n")))
    found: list[Marked] = []
    known, blocked = 0, False
    for number, line in enumerate(lines):
        if "|" in line and (number == 0 or "|" not in lines[number - 1]):
            found += _table(lines, number)
        small = line.lower()
        if HINT.search(small) and (known <= ENOUGH or _may_block(small)):
            found += _marked(lines, number)
        if len(found) > known:
            blocked = blocked or any(one.severity == "blocking" for one in found[known:])
            known = len(found)
        if blocked and known > ENOUGH:
            break  # nothing stricter can follow
    return tuple(found)


def _may_block(line: str) -> bool:
    """Whether a line can hold the strictest severity; after many markers only that matters."""
    return bool(BLOCKS.search(line)) or any(severity_of(one["word"]) == "blocking" for one in STATED.finditer(line))


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
    line, short = lines[number], lines[number][:LONGEST]
    stated = list(_in_line(lines, number))
    yield from filter(None, stated)
    front = None if stated or line.lstrip().startswith("|") else FRONT.match(short)
    if front and (severity := _front(front, lines, number)):
        yield from _with_items(severity, front, lines, number)
    elif not stated and not front and (behind := BEHIND.match(short)) and (behind["item"] or behind["heading"]):
        yield Marked(severity_of(behind["word"]) or "blocking", _told(lines, number, short))


def _in_line(lines: Sequence[str], number: int) -> Iterator[Marked | None]:
    """Every `Severity: …` of a line, None for one in prose; after many of them no text is kept."""
    line = lines[number]
    for count, one in enumerate(STATED.finditer(line)):
        both = severity_of(one["word"]), severity_of(one["more"] or "")
        found = [each for each in both if each is not None]
        if found and (one["sign"] or one["word"].lower() in WORDS):
            after = line[one.end() : one.end() + LONGEST] if count < ENOUGH else ""
            yield Marked(worst(found), _told(lines, number, after) if after else "")
        else:
            yield None
        if count >= ENOUGH and "blocking" in found:
            return  # nothing stricter can follow


def _front(found: re.Match[str], lines: Sequence[str], number: int) -> MaxSeverity | None:
    """The severity a line begins with, none when it says there is nothing of it; None for a word of prose."""
    severity, rest = severity_of(found["word"]), COUNTED.sub(r"\g<sign> \g<zero>", found["rest"])
    bare = rest.strip().strip("*_`")
    brackets = found["open"].strip("*_`")
    parenthesis = brackets.startswith("(")
    bold = found["open"][:1] in ("*", "_", "`") and found["close"][-1:] in ("*", "_", "`")
    sign = bare[:1] in (":", "=") or bare[:1] in ("—", "–") or rest.lstrip().startswith(("- ", "-> "))
    group = bool(found["heading"]) and (not bare or bool(re.fullmatch(r"[:(\[]?\s*\d{1,6}\s*[)\]]?:?", bare)))
    closed = re.search(r"[)\]}]", f"{found['word']}{found['close']}")
    if brackets and (not closed or (not parenthesis and rest.startswith("("))):
        return None  # the text of a link, or no bracket closed
    if not (
        sign
        or found["id"]
        or group
        or (brackets and (not parenthesis or found["item"] or found["heading"]))
        or _bold(bold, bare, found)
    ):
        return None
    if _is_zero(bare) or (group or not bare.strip(":")) and _nothing_below(lines, number):
        return "none"
    return severity


COUNTED = re.compile(r"^[ \t]*\((?:(?P<zero>0+)|[^)\n]{1,160})\)[*_`]*[ \t]*(?P<sign>:|—|–|-(?=\s))")
"""A number, a topic or a place in brackets between a severity and its colon: Blocking (2): …"""


PLACE = re.compile(r"[ \t]*\((?!no place named)(?P<place>[^),\n]{1,160})")


def _bold(bold: bool, bare: str, found: re.Match[str]) -> bool:
    """A severity in bold at the begin of an item or heading, alone on its line, or before a bracket."""
    return bold and (not bare or bool(found["item"] or found["heading"]) or bare[:1] in "([")


def _is_zero(bare: str) -> bool:
    """Whether what stands behind a severity says that there is none of it."""
    plain = bare.lstrip(":=—–->* ([_`")
    return bool(SETTLED.fullmatch(plain) or ZERO.match(plain) and not EXCEPT.search(plain))


EXCEPT = re.compile(r"\b(?:except|apart|aside|other than|besides|but|however|although|though|only|one|unless)\b", re.I)
SETTLED = re.compile(r"(?:(?:is|was|has been|now) )*(?:addressed|closed|fixed|resolved|settled)[.!]?", re.I)
"""What an auditor says of a finding that it raised before and that is gone."""


def _nothing_below(lines: Sequence[str], number: int) -> bool:
    """Whether the first line below a group says that nothing was found."""
    below = next((line for line in lines[number + 1 : number + 20] if line.strip()), "")
    return not below.lstrip().startswith("#") and _is_zero(below.strip())


def _with_items(severity: MaxSeverity, front: re.Match[str], lines: Sequence[str], number: int) -> Iterator[Marked]:
    """A marker; when it stands over a list, one for each item."""
    bare = front["rest"].strip().strip("*_`:—–- ])")
    items = _items(lines, number) if severity != "none" and not re.search(r"[^\W\d]", bare) else []
    if items:
        yield from (Marked(severity, item) for item in items)
    else:
        place = PLACE.match(front["rest"]) if front["id"] else None
        yield Marked(severity, _told(lines, number, COUNTED.sub("", front["rest"])), place["place"] if place else "")


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
    ranks = {at for at, cell in enumerate(header) if not cell or SCALE.search(cell)}
    others: list[Ranked] = []
    strict = 0
    for place, line in enumerate(block[2 if ruled else 0 :]):
        for one in _row(_cells(line), header, told=place < ENOUGH):
            if header and one.foreign and one.column not in ranks:
                others.append(one)
                continue
            ranks.add(one.column)
            strict += one.marked.severity == "blocking"
            yield one.marked
        if strict > ENOUGH:
            return  # nothing stricter can follow
    yield from (one.marked for one in others if one.column in ranks)


class Ranked(NamedTuple):
    """A severity in a cell. A word of other scales counts beside our own words, and below a header that says so."""

    column: int
    marked: Marked
    foreign: bool = False


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|", 50)]


def _row(row: Sequence[str], header: Sequence[str], *, told: bool) -> Iterator[Ranked]:
    """The severities in a row, with the longest of its other cells when that is to be told."""
    column = next((at for at, cell in enumerate(header) if SEVERITY.search(cell)), None)
    for at, cell in enumerate(row):
        head = CELL.match(header[at]) if at < len(header) else None
        found = CELL.match(cell)
        others = [each for place, each in enumerate(row) if place != at and each] if found or at == column else []
        zero = others and all(ZERO.fullmatch(each) for each in others)
        if head and (number := NUMBER.fullmatch(cell) or ZERO.match(cell)):
            counted = bool(number.re is NUMBER and int(number[1]))
            yield Ranked(at, Marked(severity_of(head["word"]) or "none" if counted else "none"))
        elif at == column and cell.strip("-*_` "):
            yield Ranked(at, Marked("none" if zero else severity_of(cell) or "none", _longest(others) if told else ""))
        elif at != column and found:
            severity = "none" if zero else severity_of(found["word"]) or "none"
            yield Ranked(at, Marked(severity, _longest(others) if told else ""), not OWN_CELL.match(cell))


def _longest(cells: Sequence[str]) -> str:
    return max(map(_words, cells), key=len, default="")


def as_findings(marked: Sequence[Marked]) -> Iterator[AuditFinding]:
    """The findings in marked text; a severity that says nothing more than its word is none."""
    for one in marked:
        if one.severity in AUDIT_SEVERITIES and one.told:
            yield AuditFinding(one.severity, one.told, one.place)
