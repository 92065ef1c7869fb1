"""The checks that run for a repository: what the files in checks/ offer and what conformance/*.yaml makes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from thoughtforge.catalog import extension, extension_names
from thoughtforge.gate.conformance import Conformance, Setting
from thoughtforge.gate.finding import Severity
from thoughtforge.gate.rows import Row
from thoughtforge.gate.ruff import merged, ruff_settings
from thoughtforge.gate.scene import Category, Check
from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.globs import any_matches

PACKAGE = "checks"


class Active(NamedTuple):
    """One check that runs, with everything settled."""

    name: str
    check: Check
    options: Any
    severity: Severity
    category: Category
    paths: Callable[[Iterable[str]], tuple[str, ...]]
    """Which of these files it looks at."""

    @property
    def every_edit(self) -> bool:
        """Whether it runs on every edit and not only at the end of a stage."""
        return self.check.MOMENT == "every_edit"


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


def active(
    conformance: Conformance, *, is_test: Callable[[str], bool], commands: Mapping[str, Check]
) -> tuple[Active, ...]:
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
        found.append(_settled(name, check, setting, options, conformance, is_test))
    if problems:
        raise Mistake(
            problems[0] if len(problems) == 1 else f"{len(problems)} options in conformance/ are wrong",
            do="Correct them; docs/extend.md lists the options of every check.",
            details=tuple(problems),
        )
    for name, check in commands.items():
        setting = conformance.checks.get(name, Setting())
        if setting.active is not False:
            found.append(_settled(name, check, setting, None, conformance, is_test))
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


def _settled(
    name: str,
    check: Check,
    setting: Setting,
    options: Any,
    conformance: Conformance,
    is_test: Callable[[str], bool],
) -> Active:
    exempt = name in conformance.exempt
    # what a person excludes is no longer judged, but it can still be used to cheat
    excluded = () if check.CATEGORY == "honesty" else conformance.exclude

    def fitting(paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(
            path
            for path in paths
            if (not check.ENDINGS or path.endswith(check.ENDINGS))
            and (not setting.applies_to or any_matches(path, setting.applies_to))
            and not (excluded and any_matches(path, excluded))
            and not (exempt and is_test(path))
        )

    severity = setting.severity or check.SEVERITY
    return Active(name, check, options, severity, check.CATEGORY, fitting)


def _problems(name: str, error: ValidationError) -> list[str]:
    return [
        f"{name}: options.{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
        for problem in error.errors(include_url=False)
    ]
