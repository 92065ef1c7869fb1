"""What a project declares to need from outside, by the files its package managers read."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from thoughtforge.testing.language import Requirement, dependency_rules, languages
from thoughtforge.workspaces.text import FileText
from thoughtforge.workspaces.tree import FileTree

VENDORED = {"node_modules", "vendor", "site-packages", ".venv", "venv"}
"""Folders of other people's packages: what they declare is not this project's."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Declared(NamedTuple):
    """One dependency as declared: its name, the versions asked for, the file that says so."""

    name: str
    versions: str
    source: str


class Declarations(NamedTuple):
    """The dependencies of one file, or why they could not be read."""

    dependencies: tuple[Declared, ...] = ()
    skipped: tuple[str, ...] = ()


def declares(path: str) -> bool:
    """Whether a file declares dependencies of this project."""
    return _reader(path) is not None


def declared_in(path: str, file: FileText) -> Declarations:
    """The dependencies a file declares."""
    reader = _reader(path)
    if reader is None:
        return Declarations()
    if file.note and (file.gap is not None or not file.text):
        return Declarations(skipped=(f"{path}: {file.note}",))
    try:
        pairs = list(reader(file.text.removeprefix("\ufeff")))
    except (ValueError, configparser.Error, RecursionError) as error:
        return Declarations(skipped=(f"{path}: {str(error).splitlines()[0]}",))
    return Declarations(tuple(Declared(name, versions.strip(), path) for name, versions in pairs))


def _reader(path: str) -> Callable[[str], Iterable[Requirement]] | None:
    parts = PurePosixPath(path).parts
    if VENDORED.intersection(parts[:-1]):
        return None
    known = (item for rules in dependency_rules() for item in rules.declares.items())
    return next((reader for pattern, reader in known if fnmatchcase(parts[-1], pattern)), None)


def normal(name: str) -> str:
    """A package's name as all its spellings have it in common."""
    return re.sub(r"[-_.]+", "-", name).lower()


def package_name(line: str) -> str:
    """The name at the beginning of a requirement, as all spellings have it in common; empty when there is none."""
    found = NAME.match(line.strip())
    return normal(found[0]) if found else ""


def table_in(data: Any, *keys: str) -> Mapping[str, Any]:
    """A table inside a table; empty when it is not there or is something else."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def versions_in(table: Mapping[str, Any]) -> Iterator[Requirement]:
    """Name and version of tables whose values are a version or a table with one."""
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, Mapping) else value
        yield name, version if isinstance(version, str) else ""


class SuiteImports(NamedTuple):
    """The dependencies of a tree. `internal` names for each module the modules of the project it imports."""

    internal: dict[str, tuple[str, ...]]
    external: tuple[Declared, ...]
    cycles: tuple[tuple[str, ...], ...]
    """Groups of modules that reach each other by imports."""
    skipped: tuple[str, ...]
    """Files that could not be taken into account, each with the reason."""
    files: dict[str, str]
    """The file of each module."""


_known: WeakKeyDictionary[FileTree, SuiteImports] = WeakKeyDictionary()


async def dependency_graph(tree: FileTree) -> SuiteImports:
    """The graph of a tree, computed once per tree."""
    if tree not in _known:
        _known[tree] = await _computed(tree)
    return _known[tree]


async def _computed(tree: FileTree) -> SuiteImports:
    paths = [entry.path for entry in tree.paths() if entry.kind == "file"]
    internal: dict[str, tuple[str, ...]] = {}
    files: dict[str, str] = {}
    skipped: list[str] = []
    for language in languages().values():
        if language.modules is not None:
            found = language.modules({path: await tree.read(path) for path in paths if path.endswith(language.endings)})
            internal |= found.internal
            files |= found.files
            skipped += found.skipped
    declared = [declared_in(path, await tree.read(path)) for path in paths if declares(path)]
    external = tuple(sorted({one for each in declared for one in each.dependencies}))
    skipped += [problem for each in declared for problem in each.skipped]
    return SuiteImports(internal, external, circles(internal), tuple(skipped), files)


def circles(graph: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Groups of nodes that all reach each other (strongly connected components of two and more)."""
    backward: dict[str, list[str]] = {node: [] for node in graph}
    for node, targets in graph.items():
        for target in targets:
            backward.setdefault(target, []).append(node)
    order: list[str] = []
    seen: set[str] = set()
    for node in sorted(graph):
        order += _finished(node, graph, seen)
    seen.clear()
    groups = [_finished(node, backward, seen) for node in reversed(order)]
    return tuple(sorted(tuple(sorted(group)) for group in groups if len(group) > 1))


def _finished(start: str, graph: Mapping[str, Iterable[str]], seen: set[str]) -> list[str]:
    """What a depth-first walk newly reaches from a node, in the order in which it is done with each."""
    if start in seen:
        return []
    seen.add(start)
    done: list[str] = []
    stack = [(start, iter(graph.get(start, ())))]
    while stack:
        node, rest = stack[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            stack.pop()
            done.append(node)
        else:
            seen.add(following)
            stack.append((following, iter(graph.get(following, ()))))
    return done
