"""conformance/*.yaml: which checks a repository keeps, with which options, and its own command checks.

Files of the same name lie over each other (built-in, user, project) and differently named ones are all in force. What
one file says about a check replaces, key by key, what the files before it said.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, model_validator

from thoughtforge.catalog import Catalog, DataFile
from thoughtforge.contracts.lines import Flaw, Parsed, parse, user_error
from thoughtforge.gate.context import Category, Moment
from thoughtforge.gate.findings import Severity
from thoughtforge.gate.rows import PatternRow, Row, RuffRow
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Value

KIND = "conformance"
LAYERS = ("built-in", "user", "project")
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
CORRECT = "Correct the file; docs/extend.md shows every key."


class CheckSetting(Value):
    """What a file says about one check; what it leaves out stays as it was."""

    active: bool = True
    """Whether it runs."""
    severity: Severity | None = None
    """The severity of its findings; the default is the check's own."""
    options: dict[str, Any] = {}
    """Options of the check itself."""


class CommandCheck(Value):
    """A check made by a program of the repository's own, in any language; it runs in the sandbox."""

    name: str
    """Lower-case words joined by `-`; findings carry it."""
    argv: tuple[str, ...] = Field(min_length=1)
    """The command. The argument `{files}` stands for the files to check; without it the program checks all of them."""
    endings: tuple[str, ...] = ()
    """Suffixes of the files it checks; empty for all."""
    category: Category = "quality"
    """What its findings are about."""
    moment: Moment = "stage_end"
    """When it runs: after every edit, after one that adds a file, or only at the end of a stage; all run there."""
    severity: Severity = "major"
    """The severity of its findings."""
    parse: Literal["sarif", "lines", "exit"] = "exit"
    """How to read its findings: SARIF on stdout, lines that match `pattern`, or only the exit code."""
    pattern: str = r"(?P<path>[^:\s][^:]*):(?P<line>\d+):(?:\d+:)?\s*(?P<message>.+)"
    """A regular expression with the groups path, line, message and, optionally, code."""
    clean: tuple[int, ...] = (0,)
    """Exit codes of a run that found nothing."""
    findings: tuple[int, ...] = (1,)
    """Exit codes of a run that found something; any other code is broken."""
    wall_seconds: float = Field(default=300.0, gt=0, le=3600)
    """The time limit; after it the engine ends the program and the check is broken."""

    @model_validator(mode="after")
    def _well_formed(self) -> Self:
        if not NAME.fullmatch(self.name):
            raise ValueError(f"the name {self.name!r} must be lower-case words joined by -")
        try:
            groups = set(re.compile(self.pattern).groupindex)
        except re.error as error:
            raise ValueError(f"the pattern is not a regular expression: {error}") from error
        if self.parse == "lines" and not {"path", "message"} <= groups:
            raise ValueError("the pattern needs the groups path and message")
        return self


class TestCode(Value):
    """What is different for test files."""

    exempt: tuple[str, ...] = ()
    """Checks that skip test files."""


class ConformanceFile(Value):
    """One file of conformance/."""

    applies_to: tuple[str, ...] = ()
    """Path patterns of the files its checks apply to; empty for all."""
    checks: dict[str, bool | CheckSetting] = {}
    """Check → its settings; `false` turns it off, `true` on."""
    commands: tuple[CommandCheck, ...] = ()
    """Programs of the repository that run as checks."""
    ruff: dict[str, RuffRow] = {}
    """Name of a further check → the rules of ruff it is made of."""
    patterns: dict[str, PatternRow] = {}
    """Name of a further check → the rule of ast-grep it is made of."""
    exclude: tuple[str, ...] = ()
    """Path patterns of files that every check skips."""
    tests: TestCode = TestCode()


class Setting(NamedTuple):
    """What all files together say about one check."""

    active: bool | None = None
    """None: as the check itself has it."""
    severity: Severity | None = None
    options: Mapping[str, Any] = {}
    applies_to: tuple[str, ...] = ()
    source: str = ""


class Conformance(NamedTuple):
    """What applies to a repository."""

    checks: Mapping[str, Setting]
    commands: Mapping[str, CommandCheck]
    rows: Mapping[str, Mapping[str, Row]]
    """Module in checks/ → its further rows by name."""
    exclude: tuple[str, ...]
    exempt: frozenset[str]
    """Checks that skip test files."""
    sources: tuple[str, ...]
    digest: str


def load(catalog: Catalog, known: frozenset[str]) -> Conformance:
    """Everything that applies; an unknown check or key is a UserError that lists all of them."""
    files = [file for layer in LAYERS for name in catalog.names(KIND) for file in _layer(catalog, name, layer)]
    read = [(file, _read(file)) for file in files]
    added = [(file, name) for file, one in read for name in (*one.ruff, *one.patterns)]
    _new_names(added, known)
    names = known | {command.name for _, one in read for command in one.commands} | {name for _, name in added}
    unknown = [line for file, one in read for line in _unknown(file, one, names)]
    if unknown:
        raise UserError(
            unknown[0] if len(unknown) == 1 else f"{len(unknown)} checks in conformance/ do not exist",
            do=f"Known: {', '.join(sorted(names))}",
            details=tuple(unknown),
        )
    digest = hashlib.sha256("\0".join(file.digest for file in files).encode()).hexdigest()
    return Conformance(
        checks=_settings(read),
        commands={command.name: command for _, one in read for command in one.commands},
        rows={
            "ruff": {name: row for _, one in read for name, row in one.ruff.items()},
            "patterns": {name: row for _, one in read for name, row in one.patterns.items()},
        },
        exclude=tuple(dict.fromkeys(pattern for _, one in read for pattern in one.exclude)),
        exempt=frozenset(name for _, one in read for name in one.tests.exempt),
        sources=tuple(file.path for file in files),
        digest=digest,
    )


def _layer(catalog: Catalog, name: str, layer: str) -> list[DataFile]:
    return [file for file in catalog.all(KIND, name) if file.layer == layer]


def _read(file: DataFile) -> ConformanceFile:
    parsed = parse(file.text, source=file.path)
    try:
        return ConformanceFile.model_validate({} if parsed.data is None else parsed.data)
    except ValidationError as error:
        raise user_error(file.path, _flaws(parsed, error), do=CORRECT) from error


def _flaws(parsed: Parsed, error: ValidationError) -> Iterator[Flaw]:
    for problem in error.errors(include_url=False):
        # the two forms a check may be written in both complain; their names are no part of the file
        place = tuple(step for step in problem["loc"] if step not in ("bool", "CheckSetting"))
        if problem["loc"][-1] == "bool" and isinstance(problem["input"], dict):
            continue
        what = problem["msg"].removeprefix("Value error, ")
        yield Flaw(parsed.line(place), f"{'.'.join(map(str, place)) or 'the file'}: {what}")


def _new_names(added: list[tuple[DataFile, str]], known: frozenset[str]) -> None:
    """Refuse a row that would stand in for a check there is: it would quietly hold to less."""
    names = [name for _, name in added]
    wrong = []
    for file, name in added:
        if not NAME.fullmatch(name):
            wrong.append(f"{file.path}: the name {name!r} must be lower-case words joined by -")
        elif name in known or names.count(name) > 1:
            wrong.append(f"{file.path}: the check {name!r} already exists")
    if wrong:
        raise UserError(
            wrong[0] if len(wrong) == 1 else f"{len(wrong)} rows in conformance/ cannot be added",
            do="Give each row its own name; `checks:` sets the options of existing checks.",
            details=tuple(wrong),
        )


def _unknown(file: DataFile, one: ConformanceFile, names: frozenset[str]) -> Iterator[str]:
    for name in [*one.checks, *one.tests.exempt]:
        if name not in names:
            yield f"{file.path}: there is no check {name!r}"


def _settings(read: list[tuple[DataFile, ConformanceFile]]) -> dict[str, Setting]:
    found: dict[str, Setting] = {}
    for file, one in read:
        for name, given in one.checks.items():
            old = found.get(name, Setting())
            new = CheckSetting(active=given) if isinstance(given, bool) else given
            found[name] = Setting(
                active=new.active,
                severity=new.severity or old.severity,
                options={**old.options, **new.options},
                applies_to=one.applies_to or old.applies_to,
                source=file.path,
            )
    return found
