"""No configuration of a tool, of git or of an agent is added, changed, moved or deleted."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import PurePosixPath
from typing import Any

from thoughtforge.catalog import declared
from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.testing.language import languages
from thoughtforge.workspaces.patterns import any_matches, covering

CATEGORY: Category = "honesty"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "The change adds, edits, moves or deletes no file that configures a tool, a test runner, git or an agent."
HINT = "Revert the change; a person can make it in a separate commit."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = ()

NAMES = (
    *(r"\.yamllint(?:\.ya?ml)?", r"sgconfig\.ya?ml", r"\.semgrep.*", r"\.pre-commit-config\.ya?ml"),
    *(r"\.secrets\.baseline", r"\.editorconfig", r"\.gitattributes", r"\.gitmodules", r"\.gitconfig", r"\.lfsconfig"),
    r"\.cursorrules",
)
"""Names of files that are configuration wherever they lie; each language adds its own."""
FOLDERS = (".thoughtforge", ".cursor", ".husky", ".githooks", ".semgrep", ".git")
"""Folders in which everything is configuration; each language and each provider adds its own."""


class Options(Value):
    """What may be changed."""

    allowed: tuple[str, ...] = ()
    """Path patterns of configuration that agents may write."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every such file that differs from the base commit."""
    before = context.base_paths()
    if context.changed is None and not before:
        return []  # nothing to compare with
    candidates = dict.fromkeys((*context.paths, *_configuration(before)))
    found = [each for path in candidates if not any_matches(path, options.allowed) for each in _changed(context, path)]
    # a file that is gone is in nobody's list of files; then it is about the repository as a whole
    return [each if each.path in context.paths else each._replace(path="") for each in found]


@lru_cache(maxsize=4)  # the same commit after every edit
def _configuration(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(path for path in paths if is_configuration(path) or PurePosixPath(path).name.lower() in _readers())


def is_configuration(path: str) -> bool:
    """Whether every byte of a file is configuration."""
    parts = PurePosixPath(path).parts
    if _names().fullmatch(parts[-1]) or any(part.lower() in _folders() for part in parts[:-1]):
        return True
    return bool(covering(path, declared("providers", "REPOSITORY_FILES"), fold=True))


@cache
def _names() -> re.Pattern[str]:
    added = (pattern for each in languages().values() for pattern in each.tools.files)
    return re.compile("|".join((*NAMES, *added)), re.IGNORECASE)


@cache
def _folders() -> frozenset[str]:
    return frozenset((*FOLDERS, *(name for each in languages().values() for name in each.tools.folders)))


@cache
def _readers() -> Mapping[str, Callable[[str], dict[str, Any]]]:
    """Files that are configuration in parts: name → how to read those parts."""
    return {name: read for each in languages().values() for name, read in each.tools.settings.items()}


def _changed(context: CheckContext, path: str) -> Iterator[Violation]:
    name = PurePosixPath(path).name.lower()
    whole = is_configuration(path)
    if not whole and name not in _readers():
        return
    before, now = context.base_text(path), context.text(path)
    there = (context.root / path).exists() or (context.root / path).is_symlink()
    if whole:
        yield from _file(path, before, now if there else None, linked=(context.root / path).is_symlink())
        return
    old, new = _settings(before or "", name), _settings(now, name)
    for section in sorted(old.keys() | new.keys()):
        if old.get(section) != new.get(section):
            done = "deletes" if section not in new else "changes" if section in old else "adds"
            line = _line(now, section)
            yield Violation(
                path, line, f"this {done} the configuration {section} in {path}", anchor=f"{path} {section}"
            )


def _file(path: str, before: str | None, now: str | None, *, linked: bool) -> Iterator[Violation]:
    if before is None and now is not None:
        yield Violation(path, 1, f"{path} is new and configures a tool", anchor=path)
    elif now is None and before is not None:
        yield Violation(path, 1, f"{path}, which configures a tool, was deleted", anchor=path)
    elif before != now or linked:
        yield Violation(path, 1, f"{path} configures a tool and was changed", anchor=path)


@lru_cache(maxsize=16)  # the same text after every edit of another file
def _settings(text: str, name: str) -> dict[str, Any]:
    """The parts of a file that configure tools; what cannot be read counts as one part."""
    try:
        return _readers()[name](text)
    except (ValueError, configparser.Error, RecursionError):
        return {"(unreadable)": text}


def _line(text: str, section: str) -> int:
    """Where a part begins; the first line when it is gone."""
    last = section.rpartition(".")[2]
    numbered = enumerate(text.split("\n"), start=1)
    heads = (number for number, line in numbered if f"[{section}" in line or f'"{last}"' in line)
    return next(heads, 1)
