"""Tools used on a real repository."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.patterns import read_ignore
from thoughtforge.workspaces.tree import FileTree

PATH = os.environ["PATH"]


def commit(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    env = {"PATH": PATH, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null"}
    identity = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org"]
    for args in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "--message=change"]):
        subprocess.run([*identity, *args], cwd=root, env=env, check=True)


@pytest.fixture
def use(tmp_path) -> Callable[..., ToolResult]:
    """Uses a tool on a repository with these files; `lines` of an answer fit into the agent's next step."""

    def used(
        tool: ModuleType, params: dict[str, Any], files: dict[str, str | bytes], lines: int = 100_000
    ) -> ToolResult:
        commit(tmp_path, files)

        async def whole() -> ToolResult:
            git = Git(await find_repository(tmp_path, path=PATH), path=PATH)
            head = await git.head()
            tree = await FileTree.open(git, head, await read_ignore(git, head))
            try:
                return await tool.use(params, ToolContext(tree, fitting=lambda given: min(len(given), lines)))
            finally:
                await tree.close()

        return asyncio.run(whole())

    return used
