"""No comment tells a tool to look away that the base commit does not have."""

from __future__ import annotations

import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "honesty"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = (
    "No new comment silences a tool: noqa, type: ignore, nosec, pragma: no cover, eslint-disable and the like."
)
HINT = "Correct what the tool objects to and remove the comment; a person can allow it in conformance/*.yaml."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = ()

HASH = {
    "noqa": r"(?:(?:ruff|flake8)\s*:\s*)?noqa\b|(?:ruff|flake8)\s*:\s*(?:disable|ignore|file-ignore)",
    "type: ignore": r"(?:type|ty|pyright|pyrefly|pyre|basedpyright)\s*[:-]\s*ignore|pyre-(?:fixme|unsafe)|pytype\s*:",
    "pyright:": r"(?:pyright|basedpyright)\s*:\s*(?:basic|off|report)",
    "mypy:": r"mypy\s*:",
    "nosec": r"nosec\b|[^\n]*nosemgrep|nosonar|pragma\s*:\s*(?:allowlist|whitelist)",
    "pragma: no cover": r"pragma\s*:?\s*no\s*-?\s*(?:cover|branch|mutate)",
    "pylint:": r"[^\n]*\bpylint\s*:\s*(?:disable|skip)",
    "isort:": r"isort\s*:\s*(?:skip|off)",
}
"""Kind → how it reads after a `#`."""
SLASH = {
    "eslint-disable": r"eslint-disable|(?:biome|oxlint|tslint|jshint|stylelint)[- :]*(?:ignore|disable)",
    "ts-ignore": r"@ts-(?:ignore|nocheck|expect-error)",
    "nolint": r"nolint|nosec|NOSONAR|lint:(?:file-)?ignore|#nosec",
    "no coverage": r"(?:istanbul|v8|c8)\s+ignore|coverage:\s*ignore",
    "swiftlint": r"(?:swiftlint|ktlint|rubocop)[-:]disable",
}
"""Kind → how it reads after `//` or `/*`."""
CODE = {
    "allow attribute": (r"#!?\s*\[\s*(?:allow|expect)\b|#!?\s*\[\s*cfg_attr\([^)]*allow", (".rs",)),
    "no_type_check": (r"\bno_type_check\b", (".py", ".pyi")),
    "not TYPE_CHECKING": (r"\bif\s+not\s*\(?\s*(?:\w+\.)?TYPE_CHECKING\b", (".py", ".pyi")),
    "SuppressWarnings": (r"@SuppressWarnings\b|@Suppress\b", (".java", ".kt", ".scala")),
    "rubocop:disable": (r"#\s*rubocop\s*:\s*(?:disable|todo)", (".rb",)),
}
"""Kind → how it reads in the code itself, and in which files."""
PYTHON = (".py", ".pyi")
HASH_ENDINGS = (*PYTHON, ".pyx", ".rb", ".sh", ".yaml", ".yml", ".toml", ".tf", ".cfg", ".ini")
SLASH_ENDINGS = (
    *(".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte", ".css", ".scss", ".go"),
    *(".rs", ".java", ".kt", ".scala", ".swift", ".c", ".cc", ".cpp", ".h", ".hpp", ".cs", ".php"),
)


class Options(Value):
    """What may be silenced."""

    allowed: tuple[str, ...] = ()
    """Kinds that may be added, as the findings name them, such as `pragma: no cover`."""


class Suppression(NamedTuple):
    """One comment that silences something."""

    kind: str
    line: int
    text: str


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every suppression beyond those the base commit has; a moved one is not new."""
    if scene.changed is None and not scene.base_paths():
        return []  # nothing to compare with
    return [found for path in scene.paths for found in _new(scene, path, options)]


def _new(scene: Scene, path: str, options: Options) -> Iterator[Found]:
    text, ending = scene.text(path), PurePosixPath(path).suffix
    possible = Counter(each.kind for each in _possible(text, ending))
    if not possible:
        return
    before = suppressions(scene.base_text(scene.origin(path)) or "", ending)
    left = Counter(each.kind for each in before)
    if possible <= left:
        return  # not one more, even if all that could be one is one; telling them apart takes far longer
    known = {(each.kind, each.text) for each in before}
    # those that read as before come first, so that of a moved and a new one the new one is told
    for each in sorted(suppressions(text, ending), key=lambda one: (one.kind, one.text) not in known):
        left[each.kind] -= 1
        if left[each.kind] < 0 and each.kind not in options.allowed:
            yield Found(path, each.line, f"a new comment silences a tool ({each.kind})", rule=each.kind)


@lru_cache(maxsize=64)  # the base text of a file is asked for after every edit of it
def suppressions(text: str, ending: str) -> tuple[Suppression, ...]:
    """Everything in a text that silences a tool."""
    possible = _possible(text, ending)
    if not possible or ending not in PYTHON:
        return possible
    try:
        tokens = tuple(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return possible  # a file that does not parse: better one too many than one too few
    comments = {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
    found = [each for each in possible if each.kind in CODE or _fits(each.kind, comments.get(each.line, ""))]
    return tuple(found)


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


def _fits(kind: str, comment: str) -> bool:
    return bool(_patterns(".py")[kind].search(comment))


@lru_cache
def _patterns(ending: str) -> dict[str, re.Pattern[str]]:
    """Kind → what to look for in files with that ending."""
    found: dict[str, re.Pattern[str]] = {}
    if ending in HASH_ENDINGS:
        found |= {kind: _after(r"#[ \t]*", pattern) for kind, pattern in HASH.items()}
    if ending in SLASH_ENDINGS:
        found |= {kind: _after(r"(?://|/\*|<!--)[/*\s]*", pattern) for kind, pattern in SLASH.items()}
    return found | {kind: re.compile(pattern) for kind, (pattern, endings) in CODE.items() if ending in endings}


def _after(mark: str, pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{mark})(?:{pattern})", re.IGNORECASE)
