"""Checks that are rules of ruff: rows of library/checks/ruff.yaml or of `ruff:` in conformance/*.yaml."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from string import Template
from typing import Any

from thoughtforge.gate.context import CheckContext, Diagnostic
from thoughtforge.gate.entries import entry_lines
from thoughtforge.gate.findings import Violation
from thoughtforge.gate.rows import CodeWords, RowOption, RuffRow, library_rows, options_of
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches


class RuffCheck:
    """One row as a check."""

    ENDINGS = (".py",)

    def __init__(self, name: str, row: RuffRow) -> None:
        self.row = row
        self.CATEGORY, self.MOMENT, self.SEVERITY = row.category, row.moment, row.severity
        self.DESCRIPTION, self.HINT, self.ACTIVE = row.description, row.hint, row.active
        self.RUFF = tuple(row.codes)
        self.Options = options_of(name, row)
        self.codes = [re.compile(rf"{code}|{code}\d+") for code in row.codes]

    def ruff_settings(self, options: Value) -> dict[str, Any]:
        """What the options mean for ruff.toml."""
        settings: dict[str, Any] = {}
        for key, option in self.row.options.items():
            *tables, last = option.setting.split(".")
            inner = settings
            for table in tables if last else ():
                inner = inner.setdefault(table, {})
            if last:
                value = getattr(options, key)
                inner[last] = list(value) if isinstance(value, tuple) else value
        return settings

    async def run(self, context: CheckContext, options: Value) -> list[Violation]:
        """Everything ruff says with the codes of the row, in the words of the row."""
        given = [(option, getattr(options, key)) for key, option in self.row.options.items()]
        found: list[Violation] = []
        for path in context.paths:
            text = context.text(path)
            if not path.endswith(self.ENDINGS) or any_matches(path, _skipped(given, "paths")):
                continue
            if self.row.blank or text.strip():
                found += self._found(await context.ruff(path), text, given)
        return found

    def _found(self, said: Iterable[Diagnostic], text: str, given: list[tuple[RowOption, Any]]) -> Iterator[Violation]:
        off = {code for option, value in given if option.codes and not value for code in option.codes}
        off.update(_skipped(given, "codes"))
        ours = [(rank, each) for each in said if (rank := self._rank(each.code)) is not None and each.code not in off]
        if self.row.one_a_line:
            first = {each.line: (rank, each) for rank, each in sorted(ours, reverse=True)}
            ours = sorted(first.values(), key=lambda one: one[1].line)
        lines = text.split("\n") if ours and self.row.named else []
        names = _skipped(given, "names")
        entry = entry_lines(text) if ours and any(o.skips == "entries" and on for o, on in given) else frozenset()
        for rank, each in ours:
            if each.line in entry:
                continue
            words = self.row.codes[self.RUFF[rank]]
            name = self._name(each, lines) if "$name" in words.message else ""
            if not (name and any(fnmatchcase(name, pattern) for pattern in names)):
                yield self._worded(each, words, name)

    def _rank(self, code: str) -> int | None:
        return next((rank for rank, pattern in enumerate(self.codes) if pattern.fullmatch(code)), None)

    def _name(self, said: Diagnostic, lines: list[str]) -> str:
        """What the thing a finding is about is called; empty when its line does not say."""
        read = re.search(self.row.named, lines[said.line - 1]) if self.row.named and said.line <= len(lines) else None
        return read[1] if read else ""

    def _worded(self, said: Diagnostic, words: CodeWords, name: str) -> Violation:
        read = re.search(self.row.reads, said.message) if self.row.reads else None
        if self.row.reads and read is None:  # ruff words it differently now: its own words are the honest ones
            return Violation(said.path, said.line, said.message, rule=said.code, hint=words.hint)
        known = {"said": said.message, "path": said.path, "name": name, **(read.groupdict() if read else {})}
        message = Template(words.message).substitute(known)
        anchor = Template(words.anchor).substitute({**known, "name": known["name"] or said.path})
        if "$name" in words.message:
            message = message.replace("  ", " ")  # a thing whose line does not name it
        return Violation(said.path, said.line, message, rule=said.code, hint=words.hint, anchor=anchor)


def _skipped(given: Iterable[tuple[RowOption, Any]], what: str) -> tuple[str, ...]:
    return tuple(value for option, values in given if option.skips == what for value in values)


def from_rows(rows: Mapping[str, RuffRow]) -> dict[str, RuffCheck]:
    """Each row as a check."""
    return {name: RuffCheck(name, row) for name, row in rows.items()}


CHECKS = from_rows(library_rows("ruff", RuffRow))
