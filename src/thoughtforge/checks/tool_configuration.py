"""No configuration of a tool, of git or of an agent is added, changed, moved or deleted."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any

from thoughtforge.catalog import declared
from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches, covering

CATEGORY: Category = "honesty"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = (
    "No file that tells a tool, a test runner, git or an agent how to work is added, changed, moved or deleted."
)
HINT = "Take the change back; a person makes it in a commit of their own."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = ()

NAMES = re.compile(
    r"\.?ruff\.toml|ty\.toml|\.?mypy\.ini|pyrightconfig\.json|pyrefly\.toml|\.?pytest\.(?:ini|toml)|\.coveragerc(?:\.toml)?"
    r"|\.flake8|\.?pylintrc(?:\.toml)?|\.isort\.cfg|\.importlinter|\.bandit|bandit\.ya?ml|\.yamllint(?:\.ya?ml)?"
    r"|sgconfig\.ya?ml|\.semgrep.*|\.pre-commit-config\.ya?ml|\.secrets\.baseline|tach\.toml|\.editorconfig"
    r"|\.eslintrc.*|eslint\.config\..*|\.eslintignore|biome\.jsonc?|\.prettierrc.*|\.oxlintrc\.json"
    r"|[tj]sconfig.*\.json|jest\.config\..*|vitest\.(?:config|workspace)\..*|vite\.config\..*|\.mocharc.*|\.nycrc.*"
    r"|babel\.config\..*|\.babelrc.*|\.npmrc|\.golangci\..*|\.?clippy\.toml|\.?rustfmt\.toml|\.rubocop.*\.yml"
    r"|sitecustomize\.py|usercustomize\.py|.*\.pth|\.gitattributes|\.gitmodules|\.gitconfig|\.lfsconfig"
    r"|\.cursorrules|\.python-version|pip\.conf|\.pdbrc(?:\.py)?",
    re.IGNORECASE,
)
"""Names of files that are configuration wherever they lie."""
FOLDERS = frozenset((".thoughtforge", ".cursor", ".husky", ".githooks", ".semgrep", ".cargo", ".git"))
"""Folders in which everything is configuration; those of the agents there are a provider for are declared there."""
DEPENDENCIES = {
    "pdm": ("dev-dependencies",),
    "poetry": ("dependencies", "dev-dependencies", "extras", "group", "scripts", "version"),
    "rye": ("dev-dependencies",),
    "uv": ("dev-dependencies", "sources"),
}
"""Tool tables of pyproject.toml → keys that say what the project needs, not how a tool works."""
PACKAGE_KEYS = ("ava", "babel", "c8", "eslintConfig", "jest", "mocha", "nyc", "prettier", "stylelint", "vitest", "xo")


class Options(Value):
    """What may be changed."""

    allowed: tuple[str, ...] = ()
    """Path patterns of configuration that agents may write."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every such file that differs from the base commit."""
    before = scene.base_paths()
    if scene.changed is None and not before:
        return []  # nothing to compare with
    candidates = dict.fromkeys((*scene.paths, *_configuration(before)))
    found = [each for path in candidates if not any_matches(path, options.allowed) for each in _changed(scene, path)]
    # a file that is gone is in nobody's list of files; then it is about the repository as a whole
    return [each if each.path in scene.paths else each._replace(path="") for each in found]


@lru_cache(maxsize=4)  # the same commit after every edit
def _configuration(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if is_configuration(path) or PurePosixPath(path).name.lower() in READERS)


def is_configuration(path: str) -> bool:
    """Whether every byte of a file is configuration."""
    parts = PurePosixPath(path).parts
    if NAMES.fullmatch(parts[-1]) or any(part.lower() in FOLDERS for part in parts[:-1]):
        return True
    return bool(covering(path, declared("providers", "REPOSITORY_FILES"), fold=True))


def _changed(scene: Scene, path: str) -> Iterator[Found]:
    name = PurePosixPath(path).name.lower()
    whole = is_configuration(path)
    if not whole and name not in READERS:
        return
    before, now = scene.base_text(path), scene.text(path)
    there = (scene.root / path).exists() or (scene.root / path).is_symlink()
    if whole:
        yield from _file(path, before, now if there else None, linked=(scene.root / path).is_symlink())
        return
    old, new = _settings(before or "", name), _settings(now, name)
    for section in sorted(old.keys() | new.keys()):
        if old.get(section) != new.get(section):
            done = "deletes" if section not in new else "changes" if section in old else "adds"
            line = _line(now, section)
            yield Found(path, line, f"this {done} the configuration {section} in {path}", anchor=f"{path} {section}")


def _file(path: str, before: str | None, now: str | None, *, linked: bool) -> Iterator[Found]:
    if before is None and now is not None:
        yield Found(path, 1, f"{path} is new and configures a tool", anchor=path)
    elif now is None and before is not None:
        yield Found(path, 1, f"{path}, which configures a tool, is gone", anchor=path)
    elif before != now or linked:
        yield Found(path, 1, f"{path} configures a tool and was changed", anchor=path)


@lru_cache(maxsize=16)  # the same text after every edit of another file
def _settings(text: str, name: str) -> dict[str, Any]:
    """The parts of a file that configure tools; what cannot be read counts as one part."""
    try:
        return READERS[name](text)
    except (ValueError, configparser.Error, RecursionError):
        return {"(unreadable)": text}


def _pyproject(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    tools = tomllib.loads(text).get("tool", {})
    for tool, table in tools.items() if isinstance(tools, dict) else ():
        plain = DEPENDENCIES.get(tool, ())
        kept = {key: value for key, value in table.items() if key not in plain} if isinstance(table, dict) else table
        if kept or not plain:
            found[f"tool.{tool}"] = kept
    return found


def _sections(text: str) -> dict[str, Any]:
    """The sections of setup.cfg and tox.ini but those that describe the package."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    described = ("metadata", "options", "bdist_wheel", "sdist")
    names = [name for name in parser.sections() if name.split(".")[0] not in described]
    return {name: dict(parser.items(name)) for name in names}


def _package(text: str) -> dict[str, Any]:
    read = json.loads(text or "{}")
    if not isinstance(read, dict):
        return {"(unreadable)": text}
    scripts = read.get("scripts", {})
    tests = {f"scripts.{key}": value for key, value in scripts.items() if re.match(r"(?:pre|post)?(?:test|lint)", key)}
    return tests | {key: read[key] for key in PACKAGE_KEYS if key in read}


READERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "package.json": _package,
    "pyproject.toml": _pyproject,
    "setup.cfg": _sections,
    "tox.ini": _sections,
}
"""Files that are configuration in parts: name → how to read those parts."""


def _line(text: str, section: str) -> int:
    """Where a part begins; the first line when it is gone."""
    last = section.rpartition(".")[2]
    numbered = enumerate(text.split("\n"), start=1)
    heads = (number for number, line in numbered if f"[{section}" in line or f'"{last}"' in line)
    return next(heads, 1)
