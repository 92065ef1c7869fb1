"""Everything that applies to a repository at one commit: contracts, roles, pipelines, prompts and its files."""

from __future__ import annotations

import hashlib
from collections import ChainMap
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from thoughtforge.agent.bridge import Tool
from thoughtforge.catalog import KINDS, Catalog, Extensions, extension_names
from thoughtforge.contracts.contract import Contract, load
from thoughtforge.contracts.measures import MEASURES
from thoughtforge.definitions.pipelines import LoadedPipeline, Names, load_pipelines
from thoughtforge.definitions.role import KnownNames, Role, load_roles
from thoughtforge.service.app import App
from thoughtforge.workspaces.git import Git, Repository, find_repository
from thoughtforge.workspaces.patterns import read_ignore
from thoughtforge.workspaces.tree import FileTree

if TYPE_CHECKING:
    from thoughtforge.code.commands import OwnTool

HOME_IN_TREE = ".thoughtforge/"
RULES_FILES = ("AGENTS.md", "CLAUDE.md")


@dataclass(frozen=True)
class Definitions:
    """The data files that apply, all of them checked."""

    catalog: Catalog
    contracts: Mapping[str, Contract]
    roles: Mapping[str, Role]
    pipelines: Mapping[str, LoadedPipeline]
    tools: Mapping[str, Tool]

    def sources(self) -> dict[str, str]:
        """The digest of every data file, for the task's record."""
        files = [self.catalog.find(kind, name) for kind in KINDS for name in self.catalog.names(kind)]
        return {f"{file.kind}/{file.name}": file.digest for file in files}


@dataclass(frozen=True)
class Library:
    """The definitions and the files of one commit."""

    git: Git
    commit: str
    tree: FileTree
    definitions: Definitions
    project_rules: str
    unused: tuple[str, ...]
    """Overrides in the working copy that the base commit does not have; they do not count."""


def definitions(app: App, project: Mapping[str, str]) -> Definitions:
    """Load and check every data file; files that were checked before in this process are not checked again."""
    catalog = Catalog(project=project, user=app.user_folder)
    key = tuple(
        (kind, name, *((file.layer, file.path, file.digest) for file in catalog.all(kind, name)))
        for kind in CHECKED
        for name in catalog.names(kind)
    )
    if key not in _checked:
        if len(_checked) >= KEPT:
            _checked.clear()
        _checked[key] = _check(catalog)
    return replace(_checked[key], catalog=catalog)


CHECKED = ("contracts", "tools", "roles", "pipelines")
"""Kinds of files that are checked together."""
KEPT = 8
_checked: dict[tuple[Any, ...], Definitions] = {}


def _check(catalog: Catalog) -> Definitions:
    contracts = load_contracts(catalog)
    own = _own_tools(catalog)
    known = KnownNames(contracts=frozenset(contracts), tools=known_tools() | own.keys(), measures=frozenset(MEASURES))
    roles = load_roles(catalog, known=known)
    names = Names(contracts=frozenset(contracts), roles=frozenset(roles))
    pipelines = {item.pipeline.name: item for item in load_pipelines(catalog, known=names)}
    tools = cast("Mapping[str, Tool]", ChainMap[str, Any](own, cast("Any", Extensions("tools"))))
    return Definitions(catalog, contracts, roles, pipelines, tools)


def _own_tools(catalog: Catalog) -> dict[str, OwnTool]:
    if not catalog.names("tools"):
        return {}
    from thoughtforge.code.commands import own_tools  # heavy, and most repositories add no tool

    return own_tools(catalog)


def load_contracts(catalog: Catalog) -> dict[str, Contract]:
    """Every contract that applies."""
    files = [catalog.find("contracts", name) for name in catalog.names("contracts")]
    return {file.name: load(file.text, source=file.path, ours=file.layer == "built-in") for file in files}


def known_tools() -> frozenset[str]:
    """The names a role may use: every tool there is, by its file or its entry point."""
    return frozenset(extension_names("tools"))


@asynccontextmanager
async def open_library(
    app: App, *, commit: str | None = None, git: Git | None = None, kept: Path | None = None
) -> AsyncIterator[Library]:
    """A repository, the one the person stands in unless given, at a commit, the newest one unless named.

    A commit the repository no longer has is read from the base a task has kept.
    """
    git = source = git or Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    commit = commit or await git.head()
    if kept is not None and kept.is_dir() and await git.resolve(commit) is None:
        source = Git(Repository(kept, kept), path=app.search_path)
    tree = await FileTree.open(source, commit, await read_ignore(source, commit))
    try:
        project = await _project_files(tree)
        rules = await _rules(tree)
        unused = _unused(git.repository.root, project)
        yield Library(git, commit, tree, definitions(app, project), rules, unused)
    finally:
        await tree.close()


async def _project_files(tree: FileTree) -> dict[str, str]:
    """Overrides as the base commit has them."""
    found: dict[str, str] = {}
    for entry in tree.paths():
        name = entry.path.removeprefix(HOME_IN_TREE)
        kind = name.partition("/")[0]
        wanted = entry.path.startswith(HOME_IN_TREE) and kind in KINDS and name.endswith(KINDS[kind])
        if wanted and entry.kind == "file" and name.count("/") == 1:
            found[name] = (await tree.read(entry.path)).text
    return found


async def _rules(tree: FileTree) -> str:
    known = {entry.path for entry in tree.paths()}
    for name in RULES_FILES:
        if name in known:
            return (await tree.read(name)).text
    return ""


def _unused(root: Path, project: Mapping[str, str]) -> tuple[str, ...]:
    """Data files in the working copy that are new or changed since the base commit."""
    found: list[str] = []
    for kind, ending in KINDS.items():
        for path in sorted((root / HOME_IN_TREE / kind).glob(f"*{ending}")):
            committed = project.get(f"{kind}/{path.name}")
            if committed is None or _digest(committed.encode()) != _digest(path.read_bytes()):
                found.append(str(path.relative_to(root)))
    return tuple(found)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
