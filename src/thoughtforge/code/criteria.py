"""The acceptance criteria of a specification by id: REQ-001.2 is the second criterion of REQ-001, AC-1 its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.language import Language, language_of

WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class Listed(NamedTuple):
    """A test as the agent listed it."""

    path: str
    name: str
    requirement: str
    criterion: str


def listed(handed: JsonObject) -> list[Listed]:
    """Every test the agent lists."""
    return [
        Listed(file["path"], test["name"], test["requirement_ref"], test["acceptance_criterion"])
        for file in handed.get("test_files", [])
        for test in file.get("tests", [])
    ]


def resolve(given: Listed, known: dict[str, str]) -> str | None:
    """The id of the criterion a test names by id, by number or by its words."""
    named = given.criterion.strip()
    for id, text in known.items():
        requirement, _, number = id.partition(".")
        if requirement != given.requirement:
            continue
        if named in (id, number) or " ".join(named.split()) == " ".join(text.split()):
            return id
    return None


def ids_of(given: Listed, collected: frozenset[str]) -> tuple[str, ...]:
    """The collected ids a listed test stands for; a parametrised test stands for all of its cases."""
    name = given.name.removeprefix(f"{given.path}::")
    return tuple(sorted(id for id in collected if _fits(id, given.path, name)))


def _fits(id: str, path: str, name: str) -> bool:
    """Groups around a test need not be named, and not every runner knows the file a test is in."""
    file, _, own = id.partition("::") if "::" in id else ("", "", id)
    inner = (f"::{name}", f" > {name}")
    return file in ("", path) and any(shown == name or shown.endswith(inner) for shown in (own, plain(own)))


def plain(id: str) -> str:
    """A test's id without the values of its parameters."""
    return id.partition("[")[0]


PARAMETER = re.compile(r"(?P<function>[\w.]+)\((?P<name>\w+)\)")


def will_exist(missing: str, specification: JsonObject, handed: JsonObject | None = None) -> bool:
    """Whether the specification says that something with this name will be made; of a parameter, `handed` may too."""
    if not missing:
        return False
    if parameter := PARAMETER.fullmatch(missing):
        return _promised(parameter["function"], parameter["name"], specification, handed or {})
    modules = set(_modules(specification))
    parts = missing.split(".")
    if any(".".join(parts[:size]) in modules for size in range(1, len(parts) + 1)):
        return True
    return parts[-1] in _words(specification)


def _promised(function: str, parameter: str, specification: JsonObject, handed: JsonObject) -> bool:
    """Whether one requirement, interface or the description names a parameter together with its function."""
    wanted = {parameter, function.rpartition(".")[2]}
    texts = [str(specification.get("description", ""))]
    for requirement in specification.get("requirements", []):
        texts.append(" ".join([str(requirement.get("description", "")), *_criteria_of(requirement)]))
    for interface in [*specification.get("interfaces", []), *handed.get("interface", [])]:
        texts.append(f"{interface.get('name', '')} {interface.get('signature', '')}")
    return any(wanted <= set(WORD.findall(text)) for text in texts)


def _criteria_of(requirement: JsonObject) -> list[str]:
    return [str(text) for text in requirement.get("acceptance_criteria", [])]


def _modules(specification: JsonObject) -> Iterator[str]:
    """Dotted names of the files that will be made or changed, and of the packages around new ones."""
    created = [str(path) for path in specification.get("files_to_create", [])]
    for path in [*created, *map(str, specification.get("files_to_modify", []))]:
        pure = PurePosixPath(path)
        names = pure.with_suffix("").parts
        if names and names[0] in ("src", "lib"):
            names = names[1:]
        if names and (language := _package_language(pure)) and pure.stem in language.folder_stems:
            names = names[:-1]
        if names:
            yield ".".join(names)
    for interface in specification.get("interfaces", []):
        module, colon, _ = str(interface.get("name", "")).partition(":")
        if colon and WORD.fullmatch(module.replace(".", "_").replace("/", "_").replace("-", "_")):
            yield ".".join(PurePosixPath(module).with_suffix("").parts) if "/" in module else module
    for path in created:
        folders = PurePosixPath(path).parts[:-1]
        if folders and _package_language(PurePosixPath(path)):
            yield ".".join(part for part in folders if part != "src")


def _package_language(path: PurePosixPath) -> Language | None:
    """The language of a file that makes its folder a package; None for any other file."""
    language = language_of(str(path))
    return language if language and any(path.match(pattern) for pattern in language.package_files) else None


def _words(specification: JsonObject) -> frozenset[str]:
    """Every name-like word of what the specification promises."""
    told: list[str] = [str(specification.get("description", ""))]
    for requirement in specification.get("requirements", []):
        told += [str(requirement.get("description", "")), *_criteria_of(requirement)]
    told += [str(interface.get("name", "")) for interface in specification.get("interfaces", [])]
    return frozenset(word for text in told for word in WORD.findall(text))
