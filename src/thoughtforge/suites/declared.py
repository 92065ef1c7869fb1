"""What a project declares to need from outside, by the files its package managers read."""

from __future__ import annotations

import configparser
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.suites.language import Requirement, dependency_rules
from thoughtforge.workspaces.text import FileText

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
