"""The change adds no comment that silences a tool."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.testing.language import Language, languages

CATEGORY: Category = "honesty"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = (
    "No new comment silences a tool: noqa, type: ignore, nosec, pragma: no cover, eslint-disable and the like."
)
HINT = "Fix what the tool reports and remove the comment; a person can allow it in conformance/*.yaml."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = ()

OTHER_FILES = {
    "#": (".yaml", ".yml", ".toml", ".tf", ".cfg", ".ini"),
    "//": (".css", ".scss"),
}
"""What begins a comment → endings of files that are no language's; tools obey comments there too."""
MARKS = {"#": r"#[ \t]*", "//": r"(?://|/\*|<!--)[/*\s]*"}
"""What begins a comment → everything that does so in such files."""


class Options(Value):
    """What may be silenced."""

    allowed: tuple[str, ...] = ()
    """Kinds that may be added, as the findings name them, such as `pragma: no cover`."""


class Suppression(NamedTuple):
    """One comment that silences something."""

    kind: str
    line: int
    text: str


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every suppression beyond those the base commit has; a moved one is not new."""
    if context.changed is None and not context.base_paths():
        return []  # nothing to compare with
    return [found for path in context.paths for found in _new(context, path, options)]


def _new(context: CheckContext, path: str, options: Options) -> Iterator[Violation]:
    text, ending = context.text(path), PurePosixPath(path).suffix
    possible = Counter(each.kind for each in _possible(text, ending))
    if not possible:
        return
    before = suppressions(context.base_text(context.origin(path)) or "", ending)
    left = Counter(each.kind for each in before)
    if possible <= left:
        return  # not one more, even if all that could be one is one; telling them apart takes far longer
    known = {(each.kind, each.text) for each in before}
    # those that read as before come first, so that of a moved and a new one the new one is told
    for each in sorted(suppressions(text, ending), key=lambda one: (one.kind, one.text) not in known):
        left[each.kind] -= 1
        if left[each.kind] < 0 and each.kind not in options.allowed:
            yield Violation(path, each.line, f"a new comment silences a tool ({each.kind})", rule=each.kind)


@lru_cache(maxsize=64)  # the base text of a file is asked for after every edit of it
def suppressions(text: str, ending: str) -> tuple[Suppression, ...]:
    """Everything in a text that silences a tool."""
    possible = _possible(text, ending)
    language = _language(ending)
    if not possible or language is None or language.tools.comments is None:
        return possible
    comments = language.tools.comments(text)
    if comments is None:
        return possible  # a file that does not parse: better one too many than one too few
    patterns, code = _patterns(ending), language.tools.silencing_code
    return tuple(
        each for each in possible if each.kind in code or patterns[each.kind].search(comments.get(each.line, ""))
    )


def _possible(text: str, ending: str) -> tuple[Suppression, ...]:
    """What reads like a suppression, also inside a string: one per line and kind."""
    found = []
    for kind, pattern in _patterns(ending).items():
        lines = set(_lines(text, pattern))
        if lines:
            texts = text.split("\n")
            found += [Suppression(kind, line + 1, " ".join(texts[line].split())) for line in lines]
    return tuple(sorted(found, key=lambda each: (each.line, each.kind)))


def _lines(text: str, pattern: re.Pattern[str]) -> Iterator[int]:
    """The numbers, from 0, of the lines a pattern is found in."""
    number = start = 0
    for match in pattern.finditer(text):
        number += text.count("\n", start, match.start())
        start = match.start()
        yield number


@lru_cache
def _patterns(ending: str) -> dict[str, re.Pattern[str]]:
    """Kind → what to look for in files with that ending: every comment of its kind, and the code of its language."""
    found: dict[str, re.Pattern[str]] = {}
    for mark, before in MARKS.items():
        using = [each for each in languages().values() if mark in each.comments]
        if ending in OTHER_FILES[mark] or any(ending in each.comments[mark] for each in using):
            kinds = {kind: pattern for each in using for kind, pattern in each.tools.silencing.items()}
            found |= {kind: _after(before, pattern) for kind, pattern in kinds.items()}
    language = _language(ending)
    code = language.tools.silencing_code if language else {}
    return found | {kind: re.compile(pattern) for kind, pattern in code.items()}


def _language(ending: str) -> Language | None:
    """The language whose comments stand in files with that ending."""
    known = languages().values()
    return next((each for each in known if any(ending in endings for endings in each.comments.values())), None)


def _after(mark: str, pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{mark})(?:{pattern})", re.IGNORECASE)
