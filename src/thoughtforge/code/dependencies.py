"""Dependencies a specification adds. The engine installs and declares them; nobody else changes what is declared."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from thoughtforge.code.exit import ExitReport
from thoughtforge.code.session import CodeSession
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.imports import declared_in, declares, normal
from thoughtforge.testing.language import Declaring, Dependencies, dependency_rules, languages
from thoughtforge.workspaces.text import FileText
from thoughtforge.workspaces.workspace import FileChange

VERSION = r"(?:===|~=|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+"
LINE = re.compile(
    r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\[[\w,. -]+\])?"
    rf"\s*(?:{VERSION}(?:\s*,\s*{VERSION})*)?"
)
NOTHING = ("", "none", "nothing", "n/a")


class Dependency(NamedTuple):
    """One package: its name as all spellings have it in common, and the line an installer reads."""

    name: str
    line: str


def named(specification: JsonObject) -> tuple[Dependency, ...]:
    """What a specification needs from outside. Everything that cannot be read is told together."""
    given = specification.get("dependencies") or []
    items = given.get("external", []) if isinstance(given, Mapping) else given
    lines = [_line(item) for item in items]
    found = {line: LINE.fullmatch(line) for line in lines if line.lower() not in NOTHING}
    unclear = [line for line, match in found.items() if match is None]
    if unclear:
        raise UserError(
            f"the specification names dependencies that cannot be read: {', '.join(unclear)}",
            do="Write each as a package's name and versions, such as `click>=8.1`.",
        )
    return tuple(Dependency(normal(match["name"]), line) for line, match in found.items() if match)


async def added(session: CodeSession, specification: JsonObject | None) -> tuple[Dependency, ...]:
    """What a specification names and the base commit does not declare."""
    wanted = named(specification or {})
    if not wanted:
        return ()
    base = session.workspace.base
    paths = [path for path in await session.workspace.paths(base) if declares(path)]
    known = {normal(name) for path in paths for name, _ in await _declared(session, base, path)}
    rules = _rules(session)
    known |= {normal(name) for name in rules.standard} if rules else set()
    new = tuple(one for one in wanted if one.name not in known)
    if new and (rules is None or rules.add is None):
        raise UserError(
            f"the engine cannot add dependencies in this language: {', '.join(one.line for one in new)}",
            do="Declare them in the repository, commit that, and start again.",
        )
    return new


async def declaring(session: CodeSession, new: Sequence[Dependency]) -> Declaring:
    """The file that declares dependencies, as the base commit has it and with these added."""
    workspace = session.workspace
    known = set(await workspace.paths(workspace.base))
    rules = _rules(session)
    if rules is None or rules.add is None:
        raise UserError("the engine cannot add dependencies in this language", do="Declare them and commit that.")
    raw = {path: await workspace.read(workspace.base, path) for path in rules.manifests if path in known}
    return rules.add({path: data.decode("utf-8", "replace") for path, data in raw.items()}, [one.line for one in new])


def _rules(session: CodeSession) -> Dependencies | None:
    """What the language of the tests says about dependencies."""
    language = languages().get(session.runner.LANGUAGE)
    return language.dependencies if language else None


async def by_engine(session: CodeSession, specification: JsonObject | None, tree: str) -> frozenset[str]:
    """Files that differ from the base commit only by what the engine declared in them."""
    new = await added(session, specification)
    if not new:
        return frozenset()
    path, text = await declaring(session, new)
    there = path in await session.workspace.paths(tree)
    return frozenset({path} if there and await session.workspace.read(tree, path) == text.encode() else ())


async def measure(
    exit: ExitReport, session: CodeSession, changes: Sequence[FileChange], *, specification: JsonObject | None
) -> None:
    """The declared dependencies are the base commit's and those the specification adds; nobody else changed them."""
    waiting = {_bare(one.line) for one in await added(session, specification)}
    problems = [f"{c.path} was {c.change}; package managers write it" for c in changes if _is_lock(c.path)]
    adding = len(waiting)
    for change in changes:
        old, new = await _before(session, change), await _after(session, change, exit.tree)
        problems += [f"{change.path} no longer declares {name}{versions}" for name, versions in sorted(old - new)]
        for name, versions in sorted(new - old):
            if _bare(f"{name}{versions}") in waiting:
                waiting.remove(_bare(f"{name}{versions}"))
            else:
                problems.append(f"{change.path} declares {name}{versions}, which the specification does not add")
    problems += [f"{line} is not declared any more" for line in sorted(waiting)]
    exit.require("dependencies_by_engine", problems, good=f"{adding} added")


def _is_lock(path: str) -> bool:
    return any(PurePosixPath(path).name in rules.locks for rules in dependency_rules())


def _bare(line: str) -> str:
    """A requirement without the spaces that mean nothing, named as all spellings have it in common."""
    found = LINE.match(line)
    name = found["name"] if found else ""
    return normal(name) + "".join(line[len(name) :].split())


async def _before(session: CodeSession, change: FileChange) -> set[tuple[str, str]]:
    path = change.old_path or change.path
    return set() if change.change == "created" else set(await _declared(session, session.workspace.base, path))


async def _after(session: CodeSession, change: FileChange, tree: str) -> set[tuple[str, str]]:
    return set() if change.change == "deleted" else set(await _declared(session, tree, change.path))


async def _declared(session: CodeSession, tree: str, path: str) -> list[tuple[str, str]]:
    if not declares(path):
        return []
    text = (await session.workspace.read(tree, path)).decode("utf-8", "replace")
    found = declared_in(path, FileText(text, "", len(text), 0))
    return [(one.name, one.versions) for one in found.dependencies]


def _line(item: Any) -> str:
    """A name, or a name with versions of its own; a bare version means exactly that one."""
    if not isinstance(item, Mapping):
        return str(item).strip()
    version = str(item.get("version") or "").strip()
    exact = version and version != "*" and version[0] not in "=~!<>"
    return f"{str(item['artifact']).strip()}{'==' if exact else ''}{version if version != '*' else ''}"
