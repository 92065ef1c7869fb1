"""A real session over a small repository: real clone, real sandbox, real tests, real checks."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from suite_runs import python_environment
from thoughtforge.catalog import Catalog
from thoughtforge.code.session import CodeRules, CodeSession
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.gate import conformance
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.sandbox.sandbox import find
from thoughtforge.settings.config import ChangeSettings, Tests
from thoughtforge.testing.language import runner
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.patterns import any_matches, read_ignore
from thoughtforge.workspaces.workspace import Workspace

T = TypeVar("T")
PATH = os.environ["PATH"]
SHELF: dict[str, str | bytes] = {
    "README.md": "# Shelf\n",
    ".env": "SECRET=hidden\n",
    "shelf/__init__.py": '"""A shelf of books."""\n',
    "shelf/books.py": (
        '"""Books."""\n\n\ndef count(books: list[str]) -> int:\n    """How many."""\n    return len(books)\n'
    ),
    "shelf/report.py": (
        '"""Reports."""\n\nfrom shelf.books import count\n\n\n'
        'def told(books: list[str]) -> str:\n    """In words."""\n    return f"{count(books)} books"\n'
    ),
    "shelf/old.py": '"""Older than the task."""\n\nNAME: str = 1\n',
    "tests/test_books.py": "from shelf.books import count\n\n\ndef test_count():\n    assert count(['a']) == 1\n",
    "tests/test_report.py": "from shelf.report import told\n\n\ndef test_told():\n    assert told([]) == '0 books'\n",
}
"""A project with two modules, one on top of the other, a test for each, and a type error that was always there."""


def commit(root: Path, files: Mapping[str, str | bytes]) -> None:
    """A repository with these files."""
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    env = {"PATH": PATH, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for args in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message=first"]):
        subprocess.run([*identity, *args], cwd=root, env=env, check=True)


@asynccontextmanager
async def open_context(folder: Path, files: Mapping[str, str | bytes], **rules: Any) -> AsyncIterator[ToolContext]:
    """A context with everything on it. Edits are made and told, but no gate runs after them."""
    source = folder / "source"
    source.mkdir()
    commit(source, files)
    git = Git(await find_repository(source, path=PATH), path=PATH)
    head = await git.head()
    workspace = await Workspace.make(git, base=head, branch="thoughtforge/x", at=folder / "task")
    adapter, before = runner("pytest"), await BaseFiles.read(workspace.git, head)
    means = GateConfig(folder / "gate", PATH, is_test=adapter.is_test)
    gate = Gate(
        workspace.folder, conformance.load(Catalog(project={}, user=None), check_names()), before=before, config=means
    )
    await gate.open(before.paths)
    session = CodeSession(
        workspace=workspace,
        sandbox=await find(PATH, allow_weak=False),
        environment=python_environment(),
        runner=adapter,
        gate=gate,
        rules=CodeRules(
            **{"tests": Tests(), "change": ChangeSettings(), "limits": ResourceLimits(wall_seconds=60)} | rules
        ),
        ignore=await read_ignore(git, head),
        person=workspace.author,
        scratch=folder / "scratch",
        config={path: text for path, text in before.texts.items() if any_matches(path, adapter.CONFIG)},
    )
    context = ToolContext(await session.view(), session, edit=write, own=lambda path: path not in before.paths)
    try:
        yield context
    finally:
        await context.tree.close()
        await gate.close()


async def write(context: ToolContext, edits: Sequence[Edit]) -> str:
    """Make edits in the working files and on record; answers which."""
    session = context.the_session()
    for edit in edits:
        file = session.workspace.folder / edit.path
        if edit.data is None:
            file.unlink()
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(edit.data)
        await session.workspace.put(edit.path, edit.data)
    await context.tree.close()
    context.tree = await session.view()
    await session.gate.files.refresh([edit.path for edit in edits])
    return f"judged: {', '.join(edit.path for edit in edits)}"


def in_session(act: Callable[[ToolContext], Awaitable[T]], files: Mapping[str, str | bytes] = SHELF, **rules: Any) -> T:
    """Do something at a context of its own."""

    async def whole() -> T:
        with tempfile.TemporaryDirectory() as folder:
            async with open_context(Path(folder), files, **rules) as context:
                return await act(context)

    return asyncio.run(whole())
