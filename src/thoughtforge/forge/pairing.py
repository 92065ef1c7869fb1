"""Which files of a plan belong together: a module and its tests, by the conventions of its language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import PurePosixPath

from thoughtforge.testing.language import Language, language_of

SIDES = frozenset(
    ("src", "lib", "app", "main", "test", "tests", "spec", "specs", "__tests__", "unit", "integration", "it")
)
"""Folders that say on which side a file stands, not what it is about."""

NEAR = 50
"""Of how many modules with the same name the nearest is looked for."""


def together(paths: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The paths in groups, in the order of their first member: each module with its tests, every other file alone."""
    modules = _modules(paths)
    home = {path: found for path in paths if (found := _module_of(path, modules))}
    # a test of a test is a test of what that one tests; no chain is longer than the list
    groups: dict[str, list[str]] = {}
    for path in paths:
        groups.setdefault(_root(path, home), []).append(path)
    return tuple(tuple(sorted(group, key=lambda path: path in home)) for group in groups.values())


def _root(path: str, home: Mapping[str, str]) -> str:
    seen = {path}
    while (above := home.get(path)) and above not in seen:
        seen.add(above)
        path = above
    return path


def _modules(paths: Iterable[str]) -> Mapping[tuple[str, str], list[str]]:
    """Language and name → the files that can be meant by it."""
    found: dict[tuple[str, str], list[str]] = {}
    for path in paths:
        if language := language_of(path):
            for name in _names(path, language):
                found.setdefault((language.title, name.lower()), []).append(path)
    return found


def _names(path: str, language: Language) -> Iterator[str]:
    """What a test calls a module: its name, that of its folder if it stands for it, both together."""
    at = PurePosixPath(path)
    stem = at.name.partition(".")[0]
    yield stem
    if at.parent.name:
        if stem in language.folder_stems:
            yield at.parent.name
        yield f"{at.parent.name}_{stem}"


def _module_of(path: str, modules: Mapping[tuple[str, str], list[str]]) -> str:
    """The module a test is about; empty for any other file and when the plan does not name that module."""
    language = language_of(path)
    if language is None:
        return ""
    for pattern in _patterns(language.test_names):
        if found := pattern.fullmatch(path):
            near = modules.get((language.title, found["module"].lower()), [])[:NEAR]
            others = [other for other in near if other != path and not _is_test_of(other, found["module"], language)]
            if others:
                return min(others, key=lambda other: _distance(path, other))
    return ""


def _is_test_of(path: str, module: str, language: Language) -> bool:
    """Whether a file is itself a test of what a test is about."""
    tested = (pattern.fullmatch(path) for pattern in _patterns(language.test_names))
    return any(found and found["module"].lower() == module.lower() for found in tested)


@cache
def _patterns(texts: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(map(re.compile, texts))


def _distance(path: str, other: str) -> int:
    """How many folders differ, those that only say on which side a file stands left out."""
    here, there = ({*PurePosixPath(each).parts[:-1]} - SIDES for each in (path, other))
    return len(here ^ there)
