"""Open what the code stages of a task work with. What cannot work is refused here, before the first model call."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from thoughtforge.agent.watching import watched
from thoughtforge.gate.before import Before
from thoughtforge.kernel.errors import LeaseLost, Mistake
from thoughtforge.sandbox import boxes
from thoughtforge.sandbox.box import Limits
from thoughtforge.service.app import App
from thoughtforge.service.baseline import measured_baseline
from thoughtforge.service.code_stages import builds, drivers_of
from thoughtforge.service.equipment import Site, added, open_gate, prepare, supply
from thoughtforge.service.library import Library
from thoughtforge.service.messages import absorb
from thoughtforge.service.recorded_workspace import recorded_workspace
from thoughtforge.store.port import OpenTask
from thoughtforge.suites import environment as environments
from thoughtforge.suites.result import Environment
from thoughtforge.suites.runner import Runner, fitting, preferred, runner, runner_names
from thoughtforge.suites.toolchain import Toolchain, toolchain
from thoughtforge.workshop.workshop import Rules, Workshop
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.events import WorkspaceMade
from thoughtforge.workspaces.globs import any_matches
from thoughtforge.workspaces.person import person
from thoughtforge.workspaces.repository_kind import kind

NOTHING_NEEDED = environments.Made(Environment(digest=""), (), 0.0, cached=True)
"""For a task that writes documents only: no test is run, so nothing is installed."""


@asynccontextmanager
async def open_workshop(app: App, opened: OpenTask, *, library: Library) -> AsyncIterator[Workshop | None]:
    """The workshop of a task; None for one that writes nothing."""
    journal = opened.journal
    task = journal.state.the_task()
    if not builds(task):
        yield None
        return
    workshop = await _open(app, opened, library, tested="code" in drivers_of(task))
    try:
        if workshop.tested:
            measuring = measured_baseline(journal, opened.blobs, workshop)
            workshop.baseline = await watched(journal, lambda: absorb(opened.inbox, journal), measuring)
        yield workshop
    finally:
        await workshop.gate.close()
        with suppress(LeaseLost):  # then the scratch is that of whoever runs the task now
            journal.log.check_lease()
            await asyncio.to_thread(shutil.rmtree, workshop.scratch, ignore_errors=True)


async def _open(app: App, opened: OpenTask, library: Library, *, tested: bool) -> Workshop:
    config, journal = app.loaded.config, opened.journal
    task = journal.state.the_task()
    sandbox = await boxes.find(app.search_path, allow_weak=config.sandbox.allow_weak)
    workspace = await _workspace(opened, library)
    before = await Before.read(workspace.git, task.base_commit)
    adapter = _runner(config.tests.runner, before, tested=tested)
    limits = Limits(
        wall_seconds=config.tests.wall_seconds,
        memory_bytes=config.sandbox.memory_mb * 1024**2,
        processes=config.sandbox.processes,
        temp_bytes=config.sandbox.temp_mb * 1024**2,
    )
    scratch = opened.local / "scratch"
    scratch.mkdir(exist_ok=True)
    tools = await toolchain(adapter.PROGRAMS, app.search_path) if tested else Toolchain()
    site = Site(app, journal, library, workspace, sandbox, scratch, before, adapter, tools)
    made = await prepare(site, extra=added(journal)) if tested else NOTHING_NEEDED
    workshop = Workshop(
        workspace=workspace,
        sandbox=sandbox,
        environment=made.environment,
        runner=adapter,
        gate=await open_gate(site, made.environment),
        rules=Rules(config.tests, config.change, limits, config.commands),
        ignore=library.tree.ignore,
        person=await person(library.git, app.user_home),
        scratch=scratch,
        tested=tested,
        links=made.links,
        config={path: text for path, text in before.texts.items() if any_matches(path, adapter.CONFIG)},
    )
    workshop.supply = lambda extra: supply(site, workshop, extra)
    return workshop


async def _workspace(opened: OpenTask, library: Library) -> Workspace:
    """The task's clone, made once and then as its record says; unusual repositories are named or refused."""
    journal = opened.journal
    if journal.state.branch:
        return await recorded_workspace(opened, user=library.git)
    facts = await kind(library.git, journal.state.the_task().base_commit)
    facts.check()
    workspace = await recorded_workspace(opened, user=library.git)
    journal.append(WorkspaceMade(branch=workspace.branch, notes=tuple(trait.sentence for trait in facts.traits)))
    return workspace


def _runner(wanted: str | None, before: Before, *, tested: bool) -> Runner:
    if wanted:
        return runner(wanted)
    names = fitting(before.paths, lambda path: before.texts.get(path, ""))
    if not names and not tested:
        return runner(preferred()[0])  # nothing is run; it only says what a test file looks like
    if not names:
        raise Mistake(
            "no test runner fits this repository",
            do=f"Name one in config.yaml as tests.runner; known: {', '.join(runner_names())}",
        )
    return runner(names[0])
