"""The checks that run for a repository: what the files in checks/ offer and what conformance/*.yaml makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from thoughtforge.catalog import extension, extension_names
from thoughtforge.gate.conformance import Conformance, Setting
from thoughtforge.gate.context import Category, Check
from thoughtforge.gate.findings import Severity
from thoughtforge.gate.linters import merged, ruff_settings
from thoughtforge.gate.rows import Row
from thoughtforge.kernel.errors import UserError

PACKAGE = "checks"


class Active(NamedTuple):
    """One check that runs, with everything settled."""

    name: str
    check: Check
    options: Any
    severity: Severity
    category: Category
    applies_to: tuple[str, ...] = ()
    """Patterns of the files it looks at; all files when there are none."""
    excluded: tuple[str, ...] = ()
    """Patterns of the files it leaves out."""
    exempts_tests: bool = False


@cache
def known_checks() -> Mapping[str, Check]:
    """Every check that needs no conformance file to exist, by the name people use.

    A module in checks/ is one check, named like its file, or offers several by name as `CHECKS`.
    """
    known: dict[str, Check] = {}
    for name in extension_names(PACKAGE):
        module = extension(PACKAGE, name)
        one = {name.replace("_", "-"): cast("Check", module)}
        known |= getattr(module, "CHECKS", one)
    return known


def check_names() -> frozenset[str]:
    """The names of those checks."""
    return frozenset(known_checks())


def active(conformance: Conformance, *, commands: Mapping[str, Check]) -> tuple[Active, ...]:
    """The checks that run; options that a check does not understand are all listed."""
    found: list[Active] = []
    problems: list[str] = []
    added = {name: check for module, rows in conformance.rows.items() for name, check in _from_rows(module, rows)}
    for name, check in sorted({**known_checks(), **added}.items()):
        setting = conformance.checks.get(name, Setting())
        if not (check.ACTIVE if setting.active is None else setting.active):
            continue
        try:
            options = check.Options.model_validate(dict(setting.options))
        except ValidationError as error:
            problems += [f"{setting.source}: {line}" for line in _problems(name, error)]
            continue
        found.append(_settled(name, check, setting, options, conformance))
    if problems:
        raise UserError(
            problems[0] if len(problems) == 1 else f"{len(problems)} options in conformance/ are wrong",
            do="Correct them; docs/extend.md lists the options of every check.",
            details=tuple(problems),
        )
    for name, check in commands.items():
        setting = conformance.checks.get(name, Setting())
        if setting.active is not False:
            found.append(_settled(name, check, setting, None, conformance))
    return tuple(found)


def _from_rows(module: str, rows: Mapping[str, Row]) -> Iterable[tuple[str, Check]]:
    made: Mapping[str, Check] = extension(PACKAGE, module).from_rows(rows)
    return made.items()


def ruff_wanted(checks: Iterable[Active], *, python: str) -> dict[str, Any]:
    """The one configuration of ruff for all checks that need it."""
    wanted = [code for each in checks for code in each.check.RUFF]
    settings: dict[str, Any] = {}
    for each in checks:
        if hasattr(each.check, "ruff_settings"):
            settings = merged(settings, each.check.ruff_settings(each.options))
    return ruff_settings(wanted, settings, python=python)


def _settled(name: str, check: Check, setting: Setting, options: Any, conformance: Conformance) -> Active:
    # what a person excludes is no longer judged, but it can still be used to cheat
    excluded = () if check.CATEGORY == "honesty" else conformance.exclude
    return Active(
        name,
        check,
        options,
        setting.severity or check.SEVERITY,
        check.CATEGORY,
        applies_to=setting.applies_to,
        excluded=excluded,
        exempts_tests=name in conformance.exempt,
    )


def _problems(name: str, error: ValidationError) -> list[str]:
    return [
        f"{name}: options.{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
        for problem in error.errors(include_url=False)
    ]


def limits_told(checks: Iterable[Active]) -> str:
    """The checks with a limit, one line each, as whoever writes code should know them before."""
    found = [(each, getattr(each.options, "limit", None)) for each in checks]
    return "\n".join(
        f"- {each.name}: {limit} ({', '.join(each.check.ENDINGS) or 'all files'})"
        for each, limit in found
        if isinstance(limit, int)
    )
