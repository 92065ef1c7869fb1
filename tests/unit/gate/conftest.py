"""What the tests of the gate share: a repository with one commit, and a gate over it."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest

from harness import git
from thoughtforge.catalog import Catalog
from thoughtforge.gate.active import check_names
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.conformance import load
from thoughtforge.gate.run import Gate, GateConfig
from thoughtforge.workspaces.git import Git, find_repository

T = TypeVar("T")
PATH = os.environ["PATH"]

FILES = {
    "pyproject.toml": '[project]\nname = "shop"\nrequires-python = ">=3.11"\n',
    "src/shop/__init__.py": '"""A shop."""\n',
    "src/shop/price.py": (
        '"""Prices."""\n\n\ndef price(count: int) -> int:\n    """What so many cost."""\n    return count * 3\n'
    ),
    "src/shop/bill.py": (
        '"""Bills."""\n\nfrom shop.price import price\n\n\ndef bill(count: int) -> str:\n'
        '    """A line of a bill."""\n    return f"{price(count)} coins"\n'
    ),
}


class Shop(NamedTuple):
    """A repository and what a gate over it needs."""

    root: Path
    place: Path

    def write(self, path: str, text: str) -> str:
        """Change a file of the working copy."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return path

    def append(self, path: str, text: str) -> str:
        """Add to a file of the working copy."""
        return self.write(path, (self.root / path).read_text(encoding="utf-8") + text)

    def commit(self) -> None:
        """Make what is there the base commit."""
        git("add", "--all", cwd=self.root)
        git("commit", "-q", "--allow-empty", "-m", "More", cwd=self.root)

    def judged(self, use: Callable[[Gate], Awaitable[T]], **more: Any) -> T:
        """Use a gate over the repository against its newest commit, and close it."""
        return asyncio.run(self._judged(use, **more))

    async def _judged(
        self, use: Callable[[Gate], Awaitable[T]], project: dict[str, str] | None = None, **more: Any
    ) -> T:
        source = Git(await find_repository(self.root, path=PATH), path=PATH)
        before = await BaseFiles.read(source, await source.head())
        conformance = load(Catalog(project=project or {}, user=None), check_names())
        against = more.pop("against_base", True)
        means = GateConfig(**{"place": self.place, "search_path": PATH} | more)
        gate = Gate(self.root, conformance, before=before, config=means, against_base=against)
        try:
            await gate.open(before.paths)
            return await use(gate)
        finally:
            await gate.close()


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    """A small clean repository."""
    root = tmp_path / "shop"
    made = Shop(root, tmp_path / "private")
    for path, text in FILES.items():
        made.write(path, text)
    git("init", "-q", "-b", "main", cwd=root)
    made.commit()
    return made
