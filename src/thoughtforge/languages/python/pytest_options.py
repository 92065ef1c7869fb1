"""pytest's configuration as the base commit has it, cut down to what says which tests there are and how they mean it.

Whatever stops early, repeats, reorders, spreads over processes, writes reports or loads further code is left out: the
engine decides that. The workspace's own configuration is never read.
"""

from __future__ import annotations

import configparser
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from thoughtforge.testing.imports import declared_in, declares, normal
from thoughtforge.workspaces.text import FileText

SOURCES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")
"""In the order in which pytest looks for them; the first one with a section for it counts alone."""
SECTIONS = {"tox.ini": "pytest", "setup.cfg": "tool:pytest"}
KEPT = frozenset(
    (
        "testpaths",
        "python_files",
        "python_classes",
        "python_functions",
        "markers",
        "filterwarnings",
        "usefixtures",
        "xfail_strict",
        "norecursedirs",
        "doctest_optionflags",
        "doctest_encoding",
        "consider_namespace_packages",
        "collect_imported_tests",
        "empty_parameter_set_mark",
        "strict_parametrization_ids",
        "strict_xfail",
        "strict_markers",
    )
)
PLUGIN_KEYS = {
    "anyio_": "anyio",
    "asyncio_": "pytest-asyncio",
    "django_": "pytest-django",
    "DJANGO_": "pytest-django",
    "env": "pytest-env",
    "mock_": "pytest-mock",
    "qt_": "pytest-qt",
    "timeout": "pytest-timeout",
    "trio_mode": "pytest-trio",
}
"""How the settings of a plug-in begin. They reach pytest only when that plug-in is there."""
KEPT_OPTIONS = {
    "--import-mode": 1,
    "--strict-markers": 0,
    "--doctest-modules": 0,
    "--doctest-glob": 1,
    "--doctest-ignore-import-errors": 0,
    "--doctest-continue-on-failure": 0,
    "--ignore": 1,
    "--ignore-glob": 1,
    "--deselect": 1,
    "-m": 1,
    "-k": 1,
    "-W": 1,
    "--pythonwarnings": 1,
}
"""Options of the base's addopts that stay, and how many words follow them. What the base leaves out stays left out:
only a person can have decided that, and a test the agent hides this way is missed by its id."""
PLUGIN_OPTIONS = {"--asyncio-mode": "pytest-asyncio", "--ds": "pytest-django", "--dc": "pytest-django"}
NEVER_LOADED = frozenset(
    (
        "pytest-xdist",
        "pytest-cov",
        "pytest-randomly",
        "pytest-random-order",
        "pytest-rerunfailures",
        "flaky",
        "pytest-repeat",
        "pytest-parallel",
        "pytest-html",
        "pytest-sugar",
        "pytest-instafail",
        "pytest-json-report",
        "pytest-reportlog",
        "pytest-testmon",
        "pytest-picked",
        "pytest-watch",
        "pytest-mypy",
        "pytest-ruff",
        "pytest-flake8",
        "pytest-black",
        "allure-pytest",
    )
)


class PytestOptions(NamedTuple):
    """What pytest is told."""

    ini: Mapping[str, str]
    args: tuple[str, ...]
    plugins: tuple[str, ...]
    """Distributions whose plug-ins may be loaded: those the base names."""
    settings: Mapping[str, Mapping[str, Any]]
    """Distribution → `ini` and `args` for when its plug-in is there."""


def options_of(config: Mapping[str, str], *, plugins: bool = True) -> PytestOptions:
    """What the base's configuration comes to; without `plugins` it names no module that pytest loads."""
    raw = ini_of(config)
    ini = {key: value for key, value in raw.items() if key in KEPT}
    settings: dict[str, dict[str, Any]] = {}
    for key, value in raw.items():
        if (owner := _owner(key)) and key not in KEPT:
            settings.setdefault(owner, {"ini": {}, "args": []})["ini"][key] = value
    args: list[str] = []
    for option, values in _words(raw.get("addopts", "")):
        if option in KEPT_OPTIONS:
            args += [option, *values] if option.startswith("-") and len(option) == 2 else [_joined(option, values)]
        elif option == "-p" and plugins and values and _own_plugin(values[0]):
            args += [option, *values]
        elif option in PLUGIN_OPTIONS:
            owned = settings.setdefault(PLUGIN_OPTIONS[option], {"ini": {}, "args": []})
            owned["args"].append(_joined(option, values))
    required = re.findall(r"(?:^|[\s,])([A-Za-z][\w.-]*)", raw.get("required_plugins", ""))
    named = {normal(name) for name in (*_declared(config), *required, *settings)} - NEVER_LOADED
    return PytestOptions(ini, tuple(args), tuple(sorted(named)), settings)


def written(ini: Mapping[str, str]) -> str:
    """The engine's own configuration file."""
    lines = ["[pytest]"]
    for key, value in ini.items():
        lines += [f"{key} =", *(f"    {line.strip()}" for line in value.splitlines() if line.strip())]
    return "\n".join(lines) + "\n"


def ini_of(config: Mapping[str, str]) -> Mapping[str, str]:
    """All of pytest's settings at base, as texts; lists one item a line."""
    for name in SOURCES:
        if name in config and (found := _section(name, config[name])) is not None:
            return found
    return {}


def _section(name: str, text: str) -> Mapping[str, str] | None:
    if name.endswith(".toml"):
        return _toml(name, text)
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.optionxform = lambda optionstr: optionstr  # type: ignore[method-assign]
    try:
        parser.read_string(text)
    except configparser.Error:
        return None
    section = SECTIONS.get(name, "pytest")
    if parser.has_section(section):
        return {key: value or "" for key, value in parser.items(section)}
    return {} if name in ("pytest.ini", ".pytest.ini") else None


def _toml(name: str, text: str) -> Mapping[str, str] | None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    if name != "pyproject.toml":
        return _texts(data.get("pytest", {}))
    table = data.get("tool", {}).get("pytest")
    if not isinstance(table, dict):
        return None
    return _texts(table.get("ini_options", table))


def _texts(table: Any) -> Mapping[str, str]:
    return {key: _text(key, value) for key, value in table.items()} if isinstance(table, dict) else {}


def _text(key: str, value: Any) -> str:
    if isinstance(value, list):
        return shlex.join(map(str, value)) if key == "addopts" else "\n".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _owner(key: str) -> str:
    return next((owner for start, owner in PLUGIN_KEYS.items() if key.startswith(start)), "")


def _words(addopts: str) -> Iterator[tuple[str, list[str]]]:
    """Options with the words that belong to them; a word that belongs to none is a path and is left out."""
    try:
        words = shlex.split(addopts, comments=False)
    except ValueError:
        return
    while words:
        option, found, value = words.pop(0).partition("=")
        if re.match(r"-[mkWp].", option):
            option, found, value = option[:2], "=", option[2:] + found + value
        values = [value] if found else []
        takes = KEPT_OPTIONS.get(option, 1 if option == "-p" or option in PLUGIN_OPTIONS else 0)
        while len(values) < takes and words:
            values.append(words.pop(0))
        yield option, values


def _joined(option: str, values: list[str]) -> str:
    return f"{option}={values[0]}" if values else option


def _own_plugin(name: str) -> bool:
    """Whether `-p name` names a module of the repository or of pytest itself, not one that is never loaded."""
    return not name.startswith("no:") and name not in ("xdist", "pytest_cov", "cov", "randomly", "pytest_randomly")


def _declared(config: Mapping[str, str]) -> Iterator[str]:
    """Every distribution the base's files ask for."""
    for path, text in config.items():
        if declares(path):
            yield from (item.name for item in declared_in(path, FileText(text, "", len(text), 0)).dependencies)
