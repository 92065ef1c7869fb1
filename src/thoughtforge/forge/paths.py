"""File paths in the text of a plan."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from heapq import merge
from typing import Literal, NamedTuple, cast

from thoughtforge.forge.file_names import file_names
from thoughtforge.forge.structure import marks_of, outside

LONGEST = 300
LINES_PER_FILE = 15
"""No plan has more lines that name files, for each file it may name."""
CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\n]+)(?<!`)\1(?!`)")
NAMING = re.compile(
    r"^(?:(?P<item>[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t])|(?P<heading> {0,3}#{1,6}[ \t])|(?P<row>[ \t]*+\|)"
    r"|(?P<bold>[ \t]*+(?:\*{2,3}|_{2,3})(?=\S)))[^`\n]*+`[^\n]*+$",
    re.MULTILINE,
)
"""A line that can name a file."""
BOLD = re.compile(r"[ \t]*(?P<mark>\*{2,3}|_{2,3})(?P<inside>[^\n]*?\S)(?P=mark)")
RULER = re.compile(r"^[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?)?[ \t\r]*+$", re.MULTILINE)
PLACE = re.compile(r"(?<=[^:/])(?:::.*|:L?\d+(?:[-–:,]L?\d+)*:?|#[\w.-]+)$")
"""Where in a file: a test, lines, an anchor."""
REFUSED = re.compile(r"[\s\"'`<>|;&$=!%^\\*?{},:~]|\.\.(?![.\w-]*\])|//|^[-/@]|[/.]$|^\.git/|/\.git/|(?:^|/)\.(?:/|$)")
ROUTE = re.compile(r"\[{1,2}(?:\.{3})?[\w-]+\]{1,2}|\((?:[\w-]+|\.{1,3})\)")
"""A part of a web route, which is no pattern: [id], [...slug], (group)."""
BRACKETS = re.compile(r"[()\[\]#]")
ENDING = re.compile(r"[a-z][a-z0-9_-]{0,11}|[A-Z][A-Z0-9_]{0,11}|[0-9][a-z0-9]*[a-z]")
"""What an ending looks like below a folder; Client and readAll are names of things in a package."""
ATTRIBUTES_OF = frozenset(("self", "this", "cls", "super"))

Form = Literal["item", "heading", "bold", "row"]


class Mention(NamedTuple):
    """A line that names files."""

    form: Form
    paths: tuple[str, ...]
    start: int
    """Where the line begins, in characters."""


def extract_file_paths(text: str) -> tuple[str, ...]:
    """The paths a section's text names, each once, in the order of their first mention.

    They stand in back-ticks in items of lists, headings, table cells, and in lines that begin with one in bold.
    """
    return tuple(dict.fromkeys(path for mention in mentions(text) for path in mention.paths))


@lru_cache(maxsize=8)  # the files of a plan and what it says about them are asked for one after the other
def mentions(text: str, most: int | None = None) -> tuple[Mention, ...]:
    """Every line that names files in an accepted form; code fences and comments name none.

    Ends after `most` files, or very many lines.
    """
    return tuple(_mentions(text, most))


def _mentions(text: str, most: int | None) -> Iterator[Mention]:
    hidden = marks_of(text).hidden
    told: set[str] = set()
    lines = 0
    rows = list(_bare_rows(text))
    naming = NAMING.finditer(text)
    for found in outside(merge(naming, rows, key=re.Match.start) if rows else naming, hidden):
        if most is not None and (len(told) >= most or lines >= most * LINES_PER_FILE):
            return
        line, form = found.group(), cast("Form", found.lastgroup)
        paths = _paths_in(line)
        if paths and (form != "bold" or _names_in_bold(line)):
            told.update(paths)
            lines += 1
            yield Mention(form, paths, found.start())


BARE_ROW = re.compile(
    r"^(?![ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t])(?P<row>(?=[^\n|]*+\|)(?=[^`\n]*+`)[^\n|#*_][^\n]*+)$", re.MULTILINE
)


def _bare_rows(text: str) -> Iterator[re.Match[str]]:
    """The rows of tables that have no bar in front."""
    for ruler in RULER.finditer(text):
        at = ruler.end() + 1
        while row := BARE_ROW.match(text, at):
            yield row
            at = row.end() + 1


@lru_cache(maxsize=2_000)
def _paths_in(line: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, map(path_of, _tokens(line)))))


def _names_in_bold(line: str) -> bool:
    bold = BOLD.match(line)
    return bold is not None and any(map(path_of, _tokens(bold["inside"])))


def _tokens(line: str) -> Iterator[str]:
    return (found[2].strip() for found in CODE.finditer(line))


@lru_cache(maxsize=20_000)  # plans name the same files again and again
def path_of(token: str) -> str:
    """The path a token names, without line, anchor or a `./` in front; empty when it names no file."""
    if len(token) > LONGEST:
        return ""
    plain = PLACE.sub("", token).removeprefix("./")
    return plain if _is_path(plain) else ""


def is_likely_file_path(token: str) -> bool:
    """Whether a token is the path of a file in a repository, in whatever language."""
    return bool(path_of(token))


def _is_path(path: str) -> bool:
    if not path or REFUSED.search(path) or not path.isprintable():
        return False
    folders, _, name = path.rpartition("/")
    if not folders:
        return _is_name(name)
    parts = path.split("/")
    if BRACKETS.search(ROUTE.sub("", path)) or _is_address(parts):
        return False
    return _is_name_below(name, parts)


def _is_address(parts: list[str]) -> bool:
    """Whether a path begins with the name of a machine: github.com/owner/name."""
    host, dot, domain = parts[0].rpartition(".")
    return len(parts) == 2 and _is_product(parts[1]) or bool(dot and host and domain.lower() in file_names().domains)


def _is_product(name: str) -> bool:
    products = file_names().products
    return name in products or name.lower() in products


def _is_name(name: str) -> bool:
    """Whether a word without a folder is the name of a file."""
    known = file_names()
    if name in known.names or name in known.dotted:
        return True
    if BRACKETS.search(name) or _is_product(name):
        return False
    stem, dot, ending = name.rpartition(".")
    if not dot or not stem.strip("."):
        return False
    if stem.partition(".")[0] in known.names | known.dotted or name.startswith(".env."):
        return True  # Dockerfile.dev, Makefile.am
    return ending.lower() in known.endings and stem not in ATTRIBUTES_OF


def _is_name_below(name: str, parts: list[str]) -> bool:
    """Whether the last part of a path is the name of a file: folders and packages have no ending."""
    known = file_names()
    if name in known.names or name in known.dotted:
        return True
    stem, dot, ending = name.rpartition(".")
    if not dot:
        return bool(known.program_folders & set(parts[:-1])) and name.lower() == name
    if not stem.strip("."):
        return name.startswith(".") and name[1:].lower() not in known.endings
    return ending.lower() in known.endings or ENDING.fullmatch(ending) is not None
