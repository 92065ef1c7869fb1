"""The code session of a task: workspace, sandbox, environment, runner and gate, and how the repository stood before."""

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

from thoughtforge.gate.findings import Finding, GateVerdict, next_action
from thoughtforge.gate.run import Gate
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import JsonObject
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.sandbox.sandbox import Sandbox
from thoughtforge.settings import config
from thoughtforge.testing import run as suites
from thoughtforge.testing.language import Runner, languages, runner_name
from thoughtforge.testing.locks import Locks
from thoughtforge.testing.report import Environment, SuiteReport, SuiteRun
from thoughtforge.workspaces.git import Person
from thoughtforge.workspaces.patterns import Ignore, any_matches
from thoughtforge.workspaces.tree import FileTree
from thoughtforge.workspaces.workspace import FileChange, Workspace


class Baseline(NamedTuple):
    """The base commit, measured."""

    outcomes: Mapping[str, str] = {}
    """Test id → passed, failed or skipped."""
    flaky: frozenset[str] = frozenset()
    """Tests that answered differently the second time; they decide nothing."""
    seconds: Mapping[str, float] = {}
    """Test id → how long it took."""
    unreadable: tuple[str, ...] = ()
    """Test files that cannot be collected at the base commit."""

    @property
    def passing(self) -> frozenset[str]:
        """What must still pass at the end."""
        return frozenset(id for id, outcome in self.outcomes.items() if outcome == "passed") - self.flaky

    @property
    def failing(self) -> tuple[str, ...]:
        """What failed already, both times."""
        return tuple(
            sorted(id for id, outcome in self.outcomes.items() if outcome == "failed" and id not in self.flaky)
        )

    def data(self) -> JsonObject:
        """As it is kept."""
        return {
            "outcomes": dict(self.outcomes),
            "flaky": sorted(self.flaky),
            "seconds": dict(self.seconds),
            "unreadable": list(self.unreadable),
        }


def of(first: SuiteReport, second: SuiteReport) -> Baseline:
    """Two runs of the same suite; where they differ the test is flaky."""
    outcomes = {id: result.outcome for id, result in first.results.items()}
    again = {id: result.outcome for id, result in second.results.items()}
    return Baseline(
        outcomes=outcomes,
        flaky=frozenset(id for id in {**outcomes, **again} if outcomes.get(id) != again.get(id)),
        seconds={id: round(result.seconds, 4) for id, result in first.results.items()},
        unreadable=tuple(sorted({item.path for item in first.unreadable})),
    )


def from_data(data: JsonObject) -> Baseline:
    """What `data` kept."""
    return Baseline(
        outcomes=data["outcomes"],
        flaky=frozenset(data["flaky"]),
        seconds=data["seconds"],
        unreadable=tuple(data["unreadable"]),
    )


SETTINGS = "tool-configuration"
"""The check that says so when a tool is configured."""


class CodeRules(NamedTuple):
    """What the configuration says about code."""

    tests: config.Tests
    change: config.ChangeSettings
    limits: ResourceLimits
    commands: tuple[tuple[str, ...], ...] = ()
    """Beginnings of command lines that run_command may run."""


@cache  # every path of a change is held against it
def _shared() -> frozenset[str]:
    """Files that configure the runner among other things: what of them is the runner's is the base commit's."""
    return frozenset(name for each in languages().values() for name in each.shared)


async def _no_more(session: CodeSession, extra: Sequence[str]) -> None:
    raise UserError(f"nothing can be installed here: {', '.join(extra)}", do="Run a task.")


class Equipment(NamedTuple):
    """How the files of a session are tested and judged."""

    runner: Runner
    environment: Environment
    gate: Gate
    links: Mapping[str, Path]
    config: Mapping[str, str]


@dataclass
class CodeSession:
    """One task's. Its files are the workspace's; every run that decides something gets a checkout of its own."""

    workspace: Workspace
    sandbox: Sandbox
    environment: Environment
    runner: Runner
    gate: Gate
    rules: CodeRules
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
    supplier: Callable[[CodeSession, Sequence[str]], Awaitable[None]] = _no_more
    follower: Callable[[CodeSession, str], Awaitable[str]] | None = None
    """Equips it by the files of a tree; None where the base commit decides for good."""
    locker: Callable[[str], Awaitable[Locks]] | None = None
    """Makes the locks that the declarations of a tree lack; None where a person brings them."""
    own_setup: bool = False
    """Whether the files themselves say how they are tested: nothing of them was accepted yet."""
    unready: str = ""
    """Why the files could not be equipped as they ask; then nothing is run."""
    baseline: Baseline = Baseline()
    numbers: itertools.count[int] = field(default_factory=itertools.count)

    async def supply(self, extra: Sequence[str]) -> None:
        """Install what the specification adds; called before a stage works."""
        await self.supplier(self, extra)

    async def follow(self, treeish: str, *, own: bool | None = None) -> str:
        """Equip it by the files of a tree or commit; why that is not possible. `own`: the files decide from now on."""
        self.own_setup = self.own_setup if own is None else own
        if self.follower is not None:
            self.unready = await self.follower(self, treeish)
        return self.unready

    async def locks(self, treeish: str) -> Locks:
        """The locks that a tree lacks, as long as its files decide how they are set up."""
        return await self.locker(treeish) if self.locker is not None and self.own_setup else Locks()

    def equip(self, equipment: Equipment) -> None:
        """Work with another runner, environment and gate from now on."""
        self.runner, self.environment, self.gate = equipment.runner, equipment.environment, equipment.gate
        self.links, self.config = equipment.links, equipment.config

    def judged(self, verdict: GateVerdict) -> GateVerdict:
        """A verdict without what is said against the set-up of a project that brings its own: runner and scripts."""
        if self.follower is None:
            return verdict
        new = tuple(one for one in verdict.new if not self._own_setting(one))
        return verdict._replace(new=new, next_action=next_action(new, verdict.broken))

    def configures(self, path: str) -> bool:
        """Whether a file says how the project is built or its tests are run."""
        return any_matches(path, self.runner.CONFIG) or any_matches(path.rpartition("/")[2], self._building())

    def _building(self) -> tuple[str, ...]:
        known = languages().get(self.runner.LANGUAGE)
        return known.building if known else ()

    def _own_setting(self, finding: Finding) -> bool:
        if finding.check != SETTINGS or not self.configures(finding.path):
            return False
        if finding.path.rpartition("/")[2] not in _shared():
            return True
        section = finding.message.partition("the configuration ")[2].partition(" in ")[0]
        name = runner_name(self.runner)
        return section.partition(".")[0] == "scripts" or name in section.split(".") or section in self._building()

    def hold_to(self, baseline: Baseline) -> None:
        """From now on nothing of this may be lost."""
        self.baseline = baseline

    def is_test(self, path: str) -> bool:
        """Whether a file is a test or belongs to the tests: the runner knows."""
        if self.runner.is_test(path):
            return True
        return any_matches(path, self.runner.CONFIG) and path.rpartition("/")[2] not in _shared()

    def touches_tests(self, change: FileChange) -> bool:
        """Whether a change is one to the tests, also by moving a file out of them or in."""
        return self.is_test(change.path) or (bool(change.old_path) and self.is_test(change.old_path))

    def only_tests(self, change: FileChange) -> bool:
        """Whether a change is one to the tests and to nothing else."""
        return self.is_test(change.path) and (not change.old_path or self.is_test(change.old_path))

    async def view(self) -> FileTree:
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
    ) -> SuiteReport:
        """Run tests on fresh files of a tree; `instead` puts other text in place of some of them."""
        async with self.checkout(tree) as root:
            for path, text in (instead or {}).items():
                (root / path).write_text(text, encoding="utf-8")
            return await self.test_at(root, ids=ids, files=files, coverage=coverage)

    async def test_at(
        self, root: Path, *, ids: Sequence[str] = (), files: Sequence[str] = (), coverage: Sequence[str] = ()
    ) -> SuiteReport:
        """Run tests on the files in a folder."""
        job = self.job(root)._replace(ids=tuple(ids), files=tuple(files), coverage=tuple(coverage))
        return await suites.run(
            job, self.runner, sandbox=self.sandbox, scratch=self.scratch, writable=self.rules.tests.writable
        )

    def job(self, root: Path) -> SuiteRun:
        """The whole suite on the files in a folder."""
        return SuiteRun(
            root=root,
            environment=self.environment,
            config=self.config,
            own_config=self.follower is not None,
            limits=self.rules.limits,
        )
