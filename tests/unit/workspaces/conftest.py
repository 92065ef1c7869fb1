"""Real repositories for the tests of this folder."""

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.patterns import read_ignore
from thoughtforge.workspaces.tree import FileTree

T = TypeVar("T")
PATH = os.environ["PATH"]
CLEAN = {"PATH": PATH, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "LC_ALL": "C"}


class Repo:
    """A repository made by the system's git."""

    path = PATH

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *args: str, cwd: Path | None = None) -> str:
        identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "protocol.file.allow=always")
        argv = ["git", *identity, *args]
        return subprocess.run(argv, cwd=cwd or self.root, env=CLEAN, check=True, capture_output=True, text=True).stdout

    def write(self, files: dict[str, str | bytes]) -> None:
        for path, content in files.items():
            target = self.root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: dict[str, str | bytes] | None = None) -> str:
        self.write(files or {})
        self.git("add", "--all", "--force")
        self.git("commit", "--quiet", "--allow-empty", "--message=change")
        return self.git("rev-parse", "HEAD").strip()

    def with_git(self, action: Callable[[Git], Awaitable[T]]) -> T:
        async def whole() -> T:
            return await action(Git(await find_repository(self.root, path=PATH), path=PATH))

        return asyncio.run(whole())

    def with_tree(self, action: Callable[[FileTree], Awaitable[T]]) -> T:
        """Do something with the tree of the last commit."""

        async def whole(git: Git) -> T:
            commit = await git.head()
            tree = await FileTree.open(git, commit, await read_ignore(git, commit))
            try:
                return await action(tree)
            finally:
                await tree.close()

        return self.with_git(whole)


@pytest.fixture
def repo(tmp_path) -> Repo:
    return Repo(tmp_path / "repo")
