"""Checks that are rules of ast-grep: rows of library/checks/patterns.yaml or of `patterns:` in conformance/*.yaml."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from string import Template
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from thoughtforge.gate.context import Broken, CheckContext
from thoughtforge.gate.findings import Violation
from thoughtforge.gate.language_servers import INSTALL
from thoughtforge.gate.rows import PatternRow, library_rows, options_of
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

WORD = re.compile(r"(?<![$\w])[A-Za-z_]\w+")
PLACEHOLDER = re.compile(r"<(\w+)>")
NOTHING = r"\b\B"
"""A regular expression that fits no text."""


class Match(NamedTuple):
    """One place a row's rule or pattern found."""

    line: int
    words: Mapping[str, str]


class PatternCheck:
    """One row as a check."""

    RUFF: tuple[str, ...] = ()

    def __init__(self, name: str, row: PatternRow) -> None:
        self.name = name
        self.row = row
        self.CATEGORY, self.MOMENT, self.SEVERITY = row.category, row.moment, row.severity
        self.DESCRIPTION, self.HINT, self.ACTIVE = row.description, row.hint, row.active
        self.ENDINGS = row.endings
        self.Options = options_of(name, row)

    async def run(self, context: CheckContext, options: Value) -> list[Violation]:
        """Every place the patterns or the rule of the row find."""
        given = options.model_dump()
        if self.row.at_least_one and not any(given[key] for key in self.row.at_least_one):
            raise Broken(self.row.missing, do=f"Set one: {self.name}, options, {' or '.join(self.row.at_least_one)}.")
        options_of_row = self.row.options.items()
        skipped = tuple(each for key, option in options_of_row if option.skips == "paths" for each in given[key])
        more = [pattern for key, option in options_of_row if option.finds for pattern in given[key]]
        rule = {"rule": self.row.rule, "utils": self.row.utils} if self.row.rule else {}
        filled = _filled(rule, given)
        found: list[Violation] = []
        for path in context.paths:
            if path.endswith(self.ENDINGS) and not any_matches(path, skipped):
                text = context.text(path)
                matches = [*self._lines(text, (*self.row.find, *more)), *self._rule(text, filled)]
                found += [self._found(path, each) for each in matches]
        return found

    def _found(self, path: str, match: Match) -> Violation:
        try:
            message, anchor = (Template(text).substitute(match.words) for text in (self.row.message, self.row.anchor))
        except (KeyError, ValueError) as error:
            raise Broken(
                f"the message or anchor uses {error}, which the rule does not capture", do=self._do()
            ) from error
        return Violation(path, match.line, message, anchor=anchor)

    def _lines(self, text: str, patterns: tuple[str, ...]) -> list[Match]:
        """The first pattern that fits each line."""
        # a text without the words of a pattern cannot fit it, and looking for words is far quicker
        possible = [pattern for pattern in patterns if all(word in text for word in WORD.findall(pattern))]
        lines: dict[int, Match] = {}
        for pattern in possible:
            if not _sound(pattern, self.row.language):
                do = f"Correct it: {self.name}; `$X` is anything, `$$$` any arguments."
                raise Broken(f"the pattern {pattern!r} is not {self.row.language.capitalize()}", do=do)
            for node in _tree(text, self.row.language).find_all(pattern=pattern):
                match = _match(node, ())
                lines.setdefault(match.line, match)
        return [lines[line] for line in sorted(lines)]

    def _rule(self, text: str, rule: dict[str, Any]) -> Iterator[Match]:
        if not rule or not text.strip():
            return
        names = Template(f"{self.row.message} {self.row.anchor}").get_identifiers()
        tree = _tree(text, self.row.language)
        try:
            nodes = tree.find_all(cast("Config", rule))  # a rule is data here, whatever its keys
        except Exception as error:  # ast-grep raises no class of its own for a rule it cannot read
            raise Broken(f"ast-grep rejects the rule: {_said(error)}", do=self._do()) from error
        for node in nodes:
            yield _match(node, names)

    def _do(self) -> str:
        return f"Correct the row {self.name}."


def _match(node: SgNode, names: tuple[str, ...] | list[str]) -> Match:
    held = {name: node.get_match(name) for name in names}
    words = {name: "".join(each.text().split()) for name, each in held.items() if each is not None}
    return Match(node.range().start.line + 1, {**words, "CODE": node.text().split("\n", maxsplit=1)[0][:80]})


def _filled(rule: Any, given: Mapping[str, Any]) -> Any:
    """A rule with a regular expression in place of each `<option>`."""
    if isinstance(rule, Mapping):
        return {key: _filled(value, given) for key, value in rule.items()}
    if isinstance(rule, list):
        return [_filled(value, given) for value in rule]
    named = PLACEHOLDER.fullmatch(rule) if isinstance(rule, str) else None
    return _regex(given[named[1]]) if named and named[1] in given else rule


def _regex(patterns: tuple[str, ...]) -> str:
    """Names with `*`, `?` and `[…]` as one regular expression that also takes `app . get` for `app.get`."""
    parts = [re.sub(r"\[[^\]]+\]|.", lambda part: _piece(part[0]), pattern) for pattern in patterns]
    return rf"(?s)^(?:{'|'.join(parts)})$" if parts else NOTHING


def _piece(piece: str) -> str:
    if len(piece) > 1:
        inner = re.sub(r"([\\^&~])", r"\\\1", piece[1:-1].removeprefix("!"))
        return f"[^{inner}]" if piece[1] == "!" else f"[{inner}]"
    return {"*": ".*", "?": ".", ".": r"\s*\.\s*"}.get(piece, re.escape(piece))


def _said(error: Exception) -> str:
    """What ast-grep objects to, without where in its own program it did."""
    told = str(error).partition("Stack backtrace")[0]
    return " ".join(told.split())


@lru_cache
def _sound(pattern: str, language: str) -> bool:
    """Whether a pattern finds a text made after itself; a misspelt one would find nothing and never say so."""
    sample = pattern.replace("$$$", "all_of_them").replace("$", "any_")
    try:
        if language == "python":
            ast.parse(sample)  # ast-grep itself takes half a statement for a whole one
        return any(_tree(sample, language).find_all(pattern=pattern))
    except (SyntaxError, ValueError, RuntimeError):  # the last is what ast-grep raises for a pattern it cannot read
        return False


@lru_cache(maxsize=8)
def _tree(text: str, language: str) -> SgNode:
    try:
        from ast_grep_py import SgRoot
    except ImportError as error:
        raise Broken("ast-grep-py is missing", do=INSTALL) from error
    return SgRoot(text, language).root()


def from_rows(rows: Mapping[str, PatternRow]) -> dict[str, PatternCheck]:
    """Each row as a check."""
    return {name: PatternCheck(name, row) for name, row in rows.items()}


CHECKS = from_rows(library_rows("patterns", PatternRow))
