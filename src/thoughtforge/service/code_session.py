"""Open what the code stages of a task work with. What cannot work is refused here, before the first model call."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from thoughtforge.agent.run import run_until_aborted
from thoughtforge.code.session import CodeRules, CodeSession, Equipment
from thoughtforge.definitions.drivers import builds, runs_tests
from thoughtforge.gate.cache import BaseFiles
from thoughtforge.gate.own_modules import announced as modules_in
from thoughtforge.kernel.errors import LeaseLost, Stop, UserError
from thoughtforge.kernel.model import JsonObject
from thoughtforge.sandbox import sandbox as boxes
from thoughtforge.sandbox.box import ResourceLimits
from thoughtforge.service.app import App
from thoughtforge.service.environment import (
    Site,
    added,
    by_convention,
    lock,
    measured_baseline,
    open_gate,
    prepare,
    supply,
)
from thoughtforge.service.library import Library
from thoughtforge.service.messages import absorb
from thoughtforge.service.open_task import recorded_workspace
from thoughtforge.store.port import OpenTask
from thoughtforge.testing import environment as environments
from thoughtforge.testing.imports import declares
from thoughtforge.testing.language import (
    Runner,
    fitting,
    is_lock,
    languages,
    left_behind,
    preferred,
    runner,
    runner_name,
    runner_names,
)
from thoughtforge.testing.locks import Locks, lacking
from thoughtforge.testing.own_setup import named_in, not_installed
from thoughtforge.testing.report import Environment
from thoughtforge.testing.toolchain import Toolchain, toolchain
from thoughtforge.think.conversation import CONVERSATION, resolved
from thoughtforge.workspaces.events import WorkspaceMade
from thoughtforge.workspaces.git import NOBODY, person
from thoughtforge.workspaces.patterns import any_matches
from thoughtforge.workspaces.project import ignore
from thoughtforge.workspaces.repository_kind import kind
from thoughtforge.workspaces.workspace import Workspace

NOTHING_NEEDED = environments.PreparedEnvironment(Environment(digest=""), (), 0.0, cached=True)
"""For a task that writes documents only: no test is run, so nothing is installed."""


@asynccontextmanager
async def open_code_session(app: App, opened: OpenTask, *, library: Library) -> AsyncIterator[CodeSession | None]:
    """The session of a task; None for one that writes nothing."""
    journal = opened.journal
    task = journal.state.the_task()
    if not builds(task):
        yield None
        return
    session = await _open(app, opened, library, tested=runs_tests(task))
    try:
        if session.tested:
            measuring = measured_baseline(journal, opened.blobs, session)
            baseline = await run_until_aborted(journal, lambda: absorb(opened.inbox, journal), measuring)
            session = replace(session, baseline=baseline)
        yield session
    finally:
        await close(opened, session)


async def close(opened: OpenTask, session: CodeSession) -> None:
    """End the tools and take the scratch away; another runner's scratch stays."""
    await session.gate.close()
    with suppress(LeaseLost):  # then the scratch is that of whoever runs the task now
        opened.journal.log.check_lease()
        await asyncio.to_thread(shutil.rmtree, session.scratch, ignore_errors=True)


async def _open(app: App, opened: OpenTask, library: Library, *, tested: bool) -> CodeSession:
    config, journal = app.loaded.config, opened.journal
    task = journal.state.the_task()
    sandbox = await boxes.find(app.search_path, allow_weak=config.sandbox.allow_weak)
    workspace = await task_workspace(opened, library)
    before = await BaseFiles.read(workspace.git, task.base_commit)
    adapter = _runner(config.tests.runner, before, tested=tested)
    scratch = opened.local / "scratch"
    scratch.mkdir(exist_ok=True)
    tools = await toolchain(adapter.PROGRAMS, app.search_path) if tested else Toolchain()
    announced = Announced(opened).modules
    site = Site(app, journal, library, workspace, sandbox, scratch, before, adapter, tools, announced)
    made = await prepare(site, extra=added(journal)) if tested else NOTHING_NEEDED
    return CodeSession(
        workspace=workspace,
        sandbox=sandbox,
        environment=made.environment,
        runner=adapter,
        gate=await open_gate(site, made.environment),
        rules=CodeRules(config.tests, config.change, limits_of(app), config.commands),
        ignore=library.tree.ignore,
        person=await person(library.git, app.user_home),
        scratch=scratch,
        tested=tested,
        links=made.links,
        config={path: text for path, text in before.texts.items() if any_matches(path, adapter.CONFIG)},
        supplier=lambda session, extra: supply(site, session, extra),
    )


def limits_of(app: App) -> ResourceLimits:
    """What a run of tests may use."""
    config = app.loaded.config
    return ResourceLimits(
        wall_seconds=config.tests.wall_seconds,
        memory_bytes=config.sandbox.memory_mb * 1024**2,
        processes=config.sandbox.processes,
        temp_bytes=config.sandbox.temp_mb * 1024**2,
    )


async def task_workspace(opened: OpenTask, library: Library) -> Workspace:
    """The task's clone, made once and then as its record says; unusual repositories are named or refused."""
    journal = opened.journal
    if journal.state.branch:
        return await recorded_workspace(opened, user=library.git)
    facts = await kind(library.git, journal.state.the_task().base_commit)
    facts.check()
    workspace = await recorded_workspace(opened, user=library.git)
    journal.append(WorkspaceMade(branch=workspace.branch, notes=tuple(trait.sentence for trait in facts.traits)))
    return workspace


def _runner(wanted: str | None, before: BaseFiles, *, tested: bool) -> Runner:
    if wanted:
        return runner(wanted)
    names = fitting(before.paths, lambda path: before.texts.get(path, ""))
    if not names and not tested:
        return runner(preferred()[0])  # nothing is run; it only says what a test file looks like
    if not names:
        raise UserError(
            "no test runner fits this repository",
            do=f"Name one in config.yaml as tests.runner; known: {', '.join(runner_names())}",
        )
    return runner(names[0])


WORD = re.compile(r"[a-z+#]+")


@asynccontextmanager
async def open_thought(app: App, opened: OpenTask, *, library: Library) -> AsyncIterator[CodeSession]:
    """The session of a thought that becomes code; a stage that works in it equips it by the files there are."""
    config = app.loaded.config
    ignore(Path(opened.journal.state.the_task().repository), left_behind())
    scratch = opened.local / "scratch"
    scratch.mkdir(exist_ok=True)
    sandbox = await boxes.find(app.search_path, allow_weak=config.sandbox.allow_weak)
    workspace = await task_workspace(opened, library)
    before = await BaseFiles.read(workspace.git, opened.journal.state.the_task().base_commit)
    first = runner(preferred()[0])
    announced = Announced(opened).modules
    site = Site(app, opened.journal, library, workspace, sandbox, scratch, before, first, Toolchain(), announced)
    nothing = NOTHING_NEEDED.environment
    follower = Follower(site, language_of_thought(opened), wanted=config.tests.runner, named=lambda: _named(opened))
    session = CodeSession(
        workspace=workspace,
        sandbox=sandbox,
        environment=nothing,
        runner=first,
        gate=await open_gate(site, nothing),
        rules=CodeRules(config.tests, config.change, limits_of(app), config.commands),
        ignore=library.tree.ignore,
        person=NOBODY,
        scratch=scratch,
        config={},
        follower=follower.follow,
        locker=follower.locks,
    )
    try:
        yield session
    finally:
        await close(opened, session)


def language_of_thought(opened: OpenTask) -> str:
    """What the confirmed proposal calls the language; empty while nobody has said."""
    return str(_proposal(opened).get("language") or "")


def _named(opened: OpenTask) -> frozenset[str]:
    """The packages that the confirmed proposal names, or the person when a build asked."""
    known = resolved(
        opened.journal.of(CONVERSATION), lambda digest: opened.blobs.get(digest).decode("utf-8", "replace")
    )
    return named_in(_proposal(opened), [one.text for one in known.asked("provide")])


def _proposal(opened: OpenTask) -> JsonObject:
    digest = opened.journal.state.artifacts().get("proposal")
    found: JsonObject = json.loads(opened.blobs.get(digest)) if digest else {}
    return found


ANNOUNCING = ("proposal", "specification", "test_suite")
"""Artifacts that say which modules there will be."""


class Announced:
    """The modules that the accepted artifacts announce, read again when one of them is another."""

    def __init__(self, opened: OpenTask) -> None:
        self.opened = opened
        self.known: tuple[object, frozenset[str]] = ((), frozenset())

    def modules(self) -> frozenset[str]:
        """Their top-level names."""
        artifacts = self.opened.journal.state.artifacts()
        digests = [artifacts[name] for name in ANNOUNCING if name in artifacts]
        if self.known[0] != digests:
            texts = [self.opened.blobs.get(digest).decode("utf-8", "replace") for digest in digests]
            faces = [face for text in texts for face in json.loads(text).get("interface", ())]
            self.known = (digests, modules_in(texts=texts, targets=[face["name"] for face in faces]))
        return self.known[1]


class Follower:
    """Equips a session by the files of a tree, and only when those that decide it have changed."""

    def __init__(self, site: Site, language: str, *, wanted: str | None, named: Callable[[], frozenset[str]]) -> None:
        self.site, self.language, self.wanted, self.named = site, language, wanted, named
        self.known: object = None
        self.unready = ""
        self.unlocked: object = None
        self.failure = ""

    async def locks(self, treeish: str) -> Locks:
        """The locks a tree lacks; what could not be resolved is not tried again before it changes."""
        files = await BaseFiles.read(self.site.workspace.git, treeish)
        if not by_convention(self.site) or self._refused(files, self._adapter(files)):
            return Locks()
        wanted = lacking(files.paths, lambda path: files.texts.get(path, ""))
        if wanted == self.unlocked:
            return Locks()
        self.unlocked, self.failure = wanted, ""
        try:
            return await lock(self.site, wanted)
        except (UserError, Stop) as failed:
            self.failure = f"the declared packages could not be resolved: {failed}"[:600]
            return Locks()

    async def follow(self, session: CodeSession, treeish: str) -> str:
        """Why the files cannot be equipped as they ask; empty when they are."""
        if self.failure:
            return self.failure
        files = await BaseFiles.read(self.site.workspace.git, treeish)
        adapter = self._adapter(files)
        deciding = {path: text for path, text in files.texts.items() if _decides(path)}
        key = (adapter, deciding)
        if key != self.known:
            self.known = key
            self.unready = await self._equip(session, files, adapter, treeish)
        return self.unready

    def _adapter(self, files: BaseFiles) -> Runner | None:
        if self.wanted:
            return runner(self.wanted)
        return _runner_of(self.language, files.paths, lambda path: files.texts.get(path, ""))

    def _refused(self, files: BaseFiles, adapter: Runner | None) -> list[str]:
        """Why nothing is installed: an agent wrote these files, and the network is open while packages come."""
        if adapter is None or not by_convention(self.site):
            return []
        return not_installed(
            files.paths,
            files.texts.__getitem__,
            language=adapter.LANGUAGE,
            runner=runner_name(adapter),
            named=self.named(),
        )

    async def _equip(self, session: CodeSession, files: BaseFiles, adapter: Runner | None, treeish: str) -> str:
        if adapter is None:
            known = ", ".join(runner_names())
            return f"no test runner fits {self.language or 'these files'}; known: {known}"
        if refused := self._refused(files, adapter):
            return f"nothing was installed: {'; '.join(refused)}"[:600]
        try:
            tools = await toolchain(adapter.PROGRAMS, self.site.app.search_path)
            site = self.site._replace(runner=adapter, tools=tools)
            made = await prepare(site, at=treeish, only=adapter.LANGUAGE)
        except (UserError, Stop) as failed:
            return f"the environment could not be made: {failed}"[:600]
        config = {path: text for path, text in files.texts.items() if any_matches(path, adapter.CONFIG)}
        gate = session.gate
        if made.environment.digest != session.environment.digest or adapter is not session.runner:
            await gate.close()
            gate = await open_gate(site, made.environment)
        session.equip(Equipment(adapter, made.environment, gate, made.links, config))
        return ""


def _decides(path: str) -> bool:
    """Whether a file says how a project is set up: what it needs, and how its tests are run."""
    return (
        declares(path)
        or is_lock(path)
        or any(any_matches(path, one.CONFIG) for each in languages().values() for one in each.runners.values())
    )


def _runner_of(language: str, paths: Collection[str], read: Callable[[str], str]) -> Runner | None:
    """The one of the language that fits the files, else the usual one of the language, else any that fits."""
    known = {word: name for each in languages().values() for word, name in each.words.items()}
    named = next((known[word] for word in WORD.findall(language.lower()) if word in known), None)
    fits = fitting(paths, read)
    if named is None:
        return runner(fits[0]) if fits else None
    alike = [name for name in fits if runner(name).LANGUAGE == runner(named).LANGUAGE]
    return runner(alike[0] if alike else named)
