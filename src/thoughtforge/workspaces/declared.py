"""What a project declares to need from outside, by the files its package managers read."""

from __future__ import annotations

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.workspaces.text import FileText

VENDORED = {"node_modules", "vendor", "site-packages", ".venv", "venv"}
REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(.*)")


class Declared(NamedTuple):
    """One dependency as declared: its name, the versions asked for, the file that says so."""

    name: str
    versions: str
    source: str


class Declarations(NamedTuple):
    """The dependencies of one file, or why they could not be read."""

    dependencies: tuple[Declared, ...] = ()
    skipped: tuple[str, ...] = ()


Pair = tuple[str, str]


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
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, configparser.Error, RecursionError) as error:
        return Declarations(skipped=(f"{path}: {str(error).splitlines()[0]}",))
    return Declarations(tuple(Declared(name, versions.strip(), path) for name, versions in pairs))


def _reader(path: str) -> Callable[[str], Iterator[Pair]] | None:
    parts = PurePosixPath(path).parts
    if VENDORED.intersection(parts[:-1]):
        return None
    if re.fullmatch(r"requirements.*\.txt", parts[-1]):
        return _requirements
    return READERS.get(parts[-1])


def _pyproject(text: str) -> Iterator[Pair]:
    data = tomllib.loads(text)
    project = _table(data, "project")
    yield from _parsed(_texts(project.get("dependencies")))
    groups = [*_table(project, "optional-dependencies").values(), *_table(data, "dependency-groups").values()]
    for group in groups:
        yield from _parsed(_texts(group))
    poetry = _table(data, "tool", "poetry")
    for place in (poetry, *_table(poetry, "group").values()):
        # poetry lists the interpreter among the dependencies
        yield from (pair for pair in _versions(_table(place, "dependencies")) if pair[0] != "python")


def _requirements(text: str) -> Iterator[Pair]:
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.replace("\\\n", " ").splitlines())
    yield from _parsed(line for line in lines if not line.startswith("-") and "://" not in line.partition("@")[0])


def _setup_cfg(text: str) -> Iterator[Pair]:
    config = configparser.ConfigParser(interpolation=None)
    config.read_string(text)
    blocks = [config.get("options", "install_requires", fallback="")]
    if config.has_section("options.extras_require"):
        blocks += [value for _, value in config.items("options.extras_require")]
    for block in blocks:
        yield from _requirements(block)


def _package_json(text: str) -> Iterator[Pair]:
    data = json.loads(text)
    for kind in ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies"):
        yield from _versions(_table(data, kind))


def _go_mod(text: str) -> Iterator[Pair]:
    """Both spellings: `require a v1` and a block in brackets."""
    inside = False
    for raw in text.splitlines():
        words = raw.partition("//")[0].split()
        if inside and words[:1] == [")"]:
            inside = False
        elif inside and len(words) >= 2:
            yield words[0], words[1]
        elif words[:1] == ["require"]:
            inside = words[1:2] == ["("]
            if len(words) >= 3:
                yield words[1], words[2]


def _cargo(text: str) -> Iterator[Pair]:
    data = tomllib.loads(text)
    places = [data, _table(data, "workspace"), *_table(data, "target").values()]
    for place in places:
        for kind in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from _versions(_table(place, kind))


def _table(data: Any, *keys: str) -> Mapping[str, Any]:
    """A table inside a table; empty when it is not there or is something else."""
    for key in keys:
        data = data.get(key) if isinstance(data, Mapping) else None
    return data if isinstance(data, Mapping) else {}


def _texts(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []


def _parsed(lines: Iterable[str]) -> Iterator[Pair]:
    """Name and the rest of lines such as `click>=8.1; python_version > "3"`."""
    for line in lines:
        if found := REQUIREMENT.fullmatch(line):
            yield found[1], found[2]


def _versions(table: Mapping[str, Any]) -> Iterator[Pair]:
    """Name and version of tables whose values are a version or a table with one."""
    for name, value in table.items():
        version = value.get("version", "") if isinstance(value, Mapping) else value
        yield name, version if isinstance(version, str) else ""


READERS: dict[str, Callable[[str], Iterator[Pair]]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "package.json": _package_json,
    "go.mod": _go_mod,
    "Cargo.toml": _cargo,
}
