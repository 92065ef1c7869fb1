"""Words that only hold the place of content: told by the word and where it stands, never by letters inside a word."""

from __future__ import annotations

import re
import unicodedata

THING = (
    r"[- ](?:lists?|apps?|items?|managers?|tools?|trackers?|boards?|columns?|comments?|entr(?:y|ies)|labels?|tags?)\b"
)
"""What makes the word before it the name of something: a todo list, the TBD column."""
WHOLE = re.compile(
    r"(?:tb[dac]|to ?do|fixme|x{3,}|placeholder(?: (?:text|content))?|this is a placeholder|coming soon"
    r"|fill (?:me|this) in|not said yet|zu bestimmen|noch zu klären|por (?:definir|determinar)|à définir"
    r"|(?:still |yet )?to be (?:determined|decided|defined|done|confirmed|announced|written|added|completed|agreed))",
    re.IGNORECASE,
)
"""A whole line, or the last part of one, that says only that something is missing."""
ANYWHERE = (
    re.compile(rf"\btb[dac]\b(?!{THING})", re.IGNORECASE),
    re.compile(r"\blorem ipsum\b", re.IGNORECASE),
    re.compile(r"\b(?:TODO|FIXME)\s*:|\b(?:TODO|FIXME)\("),
    re.compile(r"^\W*(?:todo|fixme)\s*:", re.IGNORECASE),
    re.compile(r"\[\s*(?:insert|your|enter|fill|tbd|todo|placeholder)\b[^\]]{0,200}\]", re.IGNORECASE),
    re.compile(r"<\s*(?:insert|your|enter|fill in|placeholder)\b[^>]{0,200}>", re.IGNORECASE),
    re.compile(r"^\s*\{\{[^}]*\}\}\s*$"),
    re.compile(r"^\W*(?:this|that|it|here)\s+is\s+(?:just |only |still )?(?:a|the) placeholder\b", re.IGNORECASE),
    re.compile(r"\b(?:just|only|merely|still) a placeholder\b", re.IGNORECASE),
    re.compile(r"^\W*placeholder (?:until|till|here|pending|to be|for(?!.*\b(?:field|input|form|box)\b))\b", re.I),
)
"""What says so wherever it is found, or at the beginning of a line."""
LOUD = re.compile(rf"(?:TODO|FIXME)\b(?!{THING})(?=\s|$)")
"""In capitals it opens a note to oneself, and a part of a line is enough."""
COLUMNS = re.compile(r"\b(?:D(?:ONE|OING)|D(?:one|oing)|IN PROGRESS|In [Pp]rogress)\b")
"""Beside these TODO is a column of a board."""
LINE = re.compile(r"[\n\r]|<br>")
PART = re.compile(r"[:–—→()\[\]]|\s-+\s|(?<=[.!?…])\s")
"""Where a line falls into parts. Commas are left alone: between them stand the items of a list."""
QUOTED = re.compile(r"\[[^\]]{0,200}\]\([^)]{0,500}\)|`[^`]{1,200}`|\"[^\"]{1,200}\"|“[^”]{1,200}”")
"""Links, code and quotations speak about a word and do not use it."""
EDGES = ' \t.…!?*_`~()[]|-–—"“”'
SHOWN = 60


def placeholder(text: str) -> str:
    """The placeholder in a text, empty when it is content."""
    if not _says_anything(text):
        return text.strip()[:SHOWN]
    return next((found for line in LINE.split(text) if (found := _in_line(line))), "")


def _says_anything(text: str) -> bool:
    """Letters, digits and pictures do; dots, dashes and question marks alone do not."""
    return any(mark.isalnum() or unicodedata.category(mark) == "So" for mark in text)


def _in_line(line: str) -> str:
    bare = line.strip(EDGES)
    if WHOLE.fullmatch(bare):
        return bare
    own = QUOTED.sub("…", line)
    for pattern in ANYWHERE:
        found = pattern.search(own)
        if found:
            return found.group().strip()[:SHOWN]
    return _in_parts([part for part in (part.strip(EDGES) for part in PART.split(own)) if part])


def _in_parts(parts: list[str]) -> str:
    """A part that is loud, or a last one that is nothing else."""
    if any(COLUMNS.search(part) for part in parts):
        return ""
    loud = next((found for part in parts if (found := LOUD.match(part))), None)
    if loud:
        return loud.group()
    return parts[-1] if parts and WHOLE.fullmatch(parts[-1]) else ""
