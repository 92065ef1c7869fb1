"""What the stages that write code work with: workspace, sandbox, environment, runner, gate and baseline."""

from __future__ import annotations

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import NamedTuple

from thoughtforge.gate.run import Gate
from thoughtforge.kernel.errors import Mistake
from thoughtforge.sandbox.box import Limits
from thoughtforge.sandbox.boxes import Sandbox
from thoughtforge.settings import config
from thoughtforge.suites import run as suites
from thoughtforge.suites.language import languages
from thoughtforge.suites.result import Environment, Job, Report
from thoughtforge.suites.runner import Runner
from thoughtforge.workshop.baseline import Baseline
from thoughtforge.workspaces.clone import Change, Workspace
from thoughtforge.workspaces.globs import any_matches
from thoughtforge.workspaces.ignore import Ignore
from thoughtforge.workspaces.person import Person
from thoughtforge.workspaces.tree import Tree


class Rules(NamedTuple):
    """What the configuration says about code."""

    tests: config.Tests
    change: config.Change
    limits: Limits
    commands: tuple[tuple[str, ...], ...] = ()
    """Beginnings of command lines that run_command may run."""


@cache  # every path of a change is held against it
def _shared() -> frozenset[str]:
    """Files that configure the runner among other things: what of them is the runner's is the base commit's."""
    return frozenset(name for each in languages().values() for name in each.shared)


async def _no_more(extra: Sequence[str]) -> None:
    raise Mistake(f"nothing can be installed here: {', '.join(extra)}", do="Run a task.")


@dataclass
class Workshop:
    """One task's. Its files are the workspace's; every run that decides something gets a checkout of its own."""

    workspace: Workspace
    sandbox: Sandbox
    environment: Environment
    runner: Runner
    gate: Gate
    rules: Rules
    ignore: Ignore
    person: Person
    """Whose commits they are."""
    scratch: Path
    config: Mapping[str, str]
    """The runner's configuration at the base commit: path → text."""
    tested: bool = True
    """Whether the task writes code, so that tests are run; documents alone need none."""
    links: Mapping[str, Path] = field(default_factory=dict)
    """What every checkout is given as a link: path in it → place in the environment."""
    supply: Callable[[Sequence[str]], Awaitable[None]] = _no_more
    """Install what the specification adds; called before a stage works."""
    baseline: Baseline = Baseline()
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    def is_test(self, path: str) -> bool:
        """Whether a file is a test or belongs to the tests: the runner knows."""
        if self.runner.is_test(path):
            return True
        return any_matches(path, self.runner.CONFIG) and path.rpartition("/")[2] not in _shared()

    def touches_tests(self, change: Change) -> bool:
        """Whether a change is one to the tests, also by moving a file out of them or in."""
        return self.is_test(change.path) or (bool(change.old_path) and self.is_test(change.old_path))

    def only_tests(self, change: Change) -> bool:
        """Whether a change is one to the tests and to nothing else."""
        return self.is_test(change.path) and (not change.old_path or self.is_test(change.old_path))

    async def view(self) -> Tree:
        """The files of the workspace as they are now."""
        return await self.workspace.view(self.ignore)

    @asynccontextmanager
    async def checkout(self, tree: str) -> AsyncIterator[Path]:
        """Fresh files of a tree without the hidden ones, gone afterwards: what runs there is shown to agents."""
        folder = self.scratch / f"checkout-{next(self.numbers)}"
        shutil.rmtree(folder, ignore_errors=True)  # left by a crash
        folder.mkdir(parents=True)
        try:
            await self.workspace.checkout(tree, folder)
            for path in await self.workspace.paths(tree):
                if self.ignore.reason(path):
                    (folder / path).unlink(missing_ok=True)
            for path, place in self.links.items():
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).symlink_to(place)
            yield folder
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def test(
        self,
        tree: str,
        *,
        ids: Sequence[str] = (),
        files: Sequence[str] = (),
        coverage: Sequence[str] = (),
        instead: Mapping[str, str] | None = None,
    ) -> Report:
        """Run tests on fresh files of a tree; `instead` puts other text in place of some of them."""
        async with self.checkout(tree) as root:
            for path, text in (instead or {}).items():
                (root / path).write_text(text, encoding="utf-8")
            return await self.test_at(root, ids=ids, files=files, coverage=coverage)

    async def test_at(
        self, root: Path, *, ids: Sequence[str] = (), files: Sequence[str] = (), coverage: Sequence[str] = ()
    ) -> Report:
        """Run tests on the files in a folder."""
        job = self.job(root)._replace(ids=tuple(ids), files=tuple(files), coverage=tuple(coverage))
        return await suites.run(
            job, self.runner, sandbox=self.sandbox, scratch=self.scratch, writable=self.rules.tests.writable
        )

    def job(self, root: Path) -> Job:
        """The whole suite on the files in a folder."""
        return Job(root=root, environment=self.environment, config=self.config, limits=self.rules.limits)
