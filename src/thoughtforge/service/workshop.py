"""Open what the code stages of a task work with. What cannot work is refused here, before the first model call."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from thoughtforge.catalog import extension_names
from thoughtforge.gate import conformance
from thoughtforge.gate import run as gates
from thoughtforge.gate.active import check_names
from thoughtforge.gate.before import Before
from thoughtforge.gate.commands import Surroundings
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import Measured, WorkspaceMade
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Task
from thoughtforge.kernel.ports import Blobs
from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Limits
from thoughtforge.service.app import App
from thoughtforge.service.baseline import measured_baseline
from thoughtforge.service.library import Library
from thoughtforge.suites import environment as environments
from thoughtforge.suites.result import Environment
from thoughtforge.suites.runner import Runner, fitting, runner
from thoughtforge.suites.toolchain import Toolchain, toolchain
from thoughtforge.workshop.workshop import Rules, Workshop
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.globs import any_matches
from thoughtforge.workspaces.person import person
from thoughtforge.workspaces.repository_kind import kind

BUILDING = ("code", "deliver")
"""Drivers whose stages write files."""
NOTHING_NEEDED = environments.Made(Environment(digest=""), (), 0.0, cached=True)
"""For a task that writes documents only: no test is run, so nothing is installed."""


def drivers_of(task: Task) -> frozenset[str]:
    """The drivers of the stages up to the exit."""
    names = [stage.name for stage in task.pipeline.stages]
    return frozenset(stage.driver for stage in task.pipeline.stages[: names.index(task.exit_stage) + 1])


@asynccontextmanager
async def open_workshop(
    app: App, folder: Path, journal: Journal, *, blobs: Blobs, library: Library
) -> AsyncIterator[Workshop | None]:
    """The workshop of a task; None for one that writes nothing."""
    task = journal.state.the_task()
    drivers = drivers_of(task)
    if not drivers.intersection(BUILDING):
        yield None
        return
    workshop = await _open(app, folder, journal, library, tested="code" in drivers)
    try:
        if workshop.tested:
            workshop.baseline = await measured_baseline(journal, blobs, workshop)
        yield workshop
    finally:
        await workshop.gate.close()
        await asyncio.to_thread(shutil.rmtree, workshop.scratch, ignore_errors=True)


async def _open(app: App, folder: Path, journal: Journal, library: Library, *, tested: bool) -> Workshop:
    config = app.loaded.config
    task = journal.state.the_task()
    sandbox = await boxes.find(app.search_path, allow_weak=config.sandbox.allow_weak)
    workspace = await _workspace(app, folder, journal, library)
    before = await Before.read(workspace.git, task.base_commit)
    adapter = _runner(config.tests.runner, before, tested=tested)
    limits = Limits(
        wall_seconds=config.tests.wall_seconds,
        memory_bytes=config.sandbox.memory_mb * 1024**2,
        processes=config.sandbox.processes,
        temp_bytes=config.sandbox.temp_mb * 1024**2,
    )
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    made, environment = NOTHING_NEEDED, NOTHING_NEEDED.environment
    if tested:
        tools = await toolchain(adapter.PROGRAMS, app.search_path)
        made = await _environment(app, journal, workspace, sandbox=sandbox, scratch=scratch, tools=tools)
        environment = tools.beside(made.environment)
    gate = gates.Gate(
        workspace.folder,
        conformance.load(library.definitions.catalog, check_names()),
        before=before,
        means=gates.Means(
            place=scratch / "gate",
            search_path=app.search_path,
            environment=environment.python.parent.parent if environment.python else None,
            environment_digest=environment.digest,
            more=environment.python_path,
            is_test=adapter.is_test,
            surroundings=Surroundings(sandbox, environment.mounts),
            kept=app.home.root / "cache" / "findings",
        ),
    )
    await gate.open(await workspace.paths(await workspace.tree()))
    return Workshop(
        workspace=workspace,
        sandbox=sandbox,
        environment=environment,
        runner=adapter,
        gate=gate,
        rules=Rules(config.tests, config.change, limits, config.commands),
        ignore=library.tree.ignore,
        person=await person(library.git, app.user_home),
        scratch=scratch,
        tested=tested,
        links=made.links,
        config={path: text for path, text in before.texts.items() if any_matches(path, adapter.CONFIG)},
    )


async def _workspace(app: App, folder: Path, journal: Journal, library: Library) -> Workspace:
    """The task's clone, made once; unusual repositories are named or refused."""
    task = journal.state.the_task()
    facts = await kind(library.git, task.base_commit)
    facts.check()
    branch = f"thoughtforge/{task.id}"
    workspace = await Workspace.make(library.git, base=task.base_commit, branch=branch, at=folder)
    workspace.unlock()
    if not journal.state.branch:
        journal.append(WorkspaceMade(branch=branch, notes=tuple(trait.sentence for trait in facts.traits)))
    return workspace


def _runner(wanted: str | None, before: Before, *, tested: bool) -> Runner:
    if wanted:
        return runner(wanted)
    names = fitting(before.paths, lambda path: before.texts.get(path, ""))
    if not names and not tested:
        return runner("pytest")  # nothing is run; it only says what a test file looks like
    if not names:
        raise Mistake(
            "no test runner fits this repository",
            do=f"Name one in config.yaml as tests.runner; known: {', '.join(extension_names('runners'))}",
        )
    return runner(names[0])


async def _environment(
    app: App, journal: Journal, workspace: Workspace, *, sandbox: boxes.Sandbox, scratch: Path, tools: Toolchain
) -> environments.Made:
    """The repository's dependencies as the base commit declares them, installed once and put on record."""
    root = scratch / "base"
    await asyncio.to_thread(shutil.rmtree, root, ignore_errors=True)
    root.mkdir()
    await workspace.checkout(workspace.base, root)
    made = await environments.prepare(
        root,
        paths=await workspace.paths(workspace.base),
        environments=app.home.root / "environments",
        setup=app.loaded.config.setup,
        sandbox=sandbox,
        search_path=tools.searched(app.search_path),
        access=app.packages(),
    )
    _record(journal, made, sandbox)
    return made


def _record(journal: Journal, made: environments.Made, sandbox: boxes.Sandbox) -> None:
    known = journal.state.measured.get("environment")
    if known is not None and known.facts.get("digest") == made.environment.digest:
        return
    how = "found ready" if made.cached else f"made in {made.seconds:.1f} s"
    journal.append(
        Measured(
            what="environment",
            outcome="pass",
            summary=f"{len(made.packages)} packages, {how}; {'; '.join(made.notes) or 'nothing unusual'}",
            facts={
                "digest": made.environment.digest,
                "sandbox": sandbox.kind,
                "sandbox_note": sandbox.note,
                "network": "; ".join(made.command),
            },
        )
    )
