"""The composition root: it alone owns the real clock, chance and environment, and it puts a run together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from thoughtforge.settings import environment
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home

if TYPE_CHECKING:  # a list of tasks needs a store and nothing else of this
    from thoughtforge.agent.run import Ask, People, Run, RunLibrary, TaskRecord
    from thoughtforge.code.session import CodeSession
    from thoughtforge.forge.place import PlanPlace
    from thoughtforge.service.app import App
    from thoughtforge.service.library import Library
    from thoughtforge.settings.config import Loaded
    from thoughtforge.settings.trust import TrustStore
    from thoughtforge.store.port import OpenTask
    from thoughtforge.workspaces.project import Project

    OpenSession = Callable[[], Awaitable[CodeSession | None]]

_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"


def make_store(cwd: Path | None = None) -> FileStore:
    """The tasks a command started in `cwd` means. What is heavy is loaded when a record is read or written."""
    where = (cwd or Path.cwd()).resolve()
    return _store(_home(where), lambda: make_app(where))


def make_app(cwd: Path | None = None) -> App:
    """The App for a command started in `cwd`."""
    import secrets
    import time

    from thoughtforge import __version__
    from thoughtforge.service.app import App
    from thoughtforge.settings.trust import TrustStore
    from thoughtforge.testing.access import access

    where = (cwd or Path.cwd()).resolve()
    home = _home(where)
    app = App(
        store=_store(home, lambda: app),
        home=home,
        cwd=where,
        user_home=Path.home(),
        user_folder=environment.user_folder(),
        who=environment.who(),
        program=f"thoughtforge {__version__}",
        search_path=environment.search_path(),
        clock=_now,
        stopwatch=time.monotonic,
        new_word=lambda: "".join(secrets.choice(_LETTERS) for _ in range(4)),
        packages=lambda: access(environment.variables(), home=Path.home()),
        trust=TrustStore(environment.trust_folder(), environment.trusted_digest()),
        settings=read_settings,
        open_run=open_run,
        secret=environment.secret,
        known_secrets=environment.known_secrets(),
        desktop=environment.for_desktop(),
    )
    return app


def read_settings(home: Home, trust: TrustStore) -> Loaded:
    """The configuration of a home, which is made when there is none, as its config.yaml is."""
    from thoughtforge.settings.config import load

    home.prepare()
    return load(home.root, trust)


@asynccontextmanager
async def open_run(app: App, opened: OpenTask, *, library: Library, ask: Ask | None) -> AsyncIterator[Run]:
    """Everything the drivers of one run work with: what a stage declares that it needs is opened before the first."""
    from thoughtforge.agent.run import Run, TaskRecord
    from thoughtforge.workspaces.workspace import FOLDER

    record = TaskRecord(opened.journal, opened.blobs)
    async with _code(app, opened, library) as session:
        yield Run(
            record=record,
            people=_people(app, opened, ask),
            library=_library(app, record, library),
            stopwatch=app.stopwatch,
            session=session,
            project=_project(app, record),
            plans=_plans(app, record),
            workspace=opened.local / FOLDER,
        )


def _people(app: App, opened: OpenTask, ask: Ask | None) -> People:
    from thoughtforge.agent.run import People
    from thoughtforge.service.messages import absorb
    from thoughtforge.service.progress import Live

    async def notify(text: str) -> None:
        from thoughtforge.service.notify import tell_of_milestone

        await tell_of_milestone(app, opened.journal, text)

    return People(
        waiting=opened.inbox.waiting,
        absorb=lambda: absorb(opened.inbox, opened.journal),
        live=Live(opened.local, app.masker).show,
        ask=ask,
        notify=notify if app.loaded.config.notifications.channels else None,
    )


def _library(app: App, record: TaskRecord, library: Library) -> RunLibrary:
    from thoughtforge.agent.run import RunLibrary
    from thoughtforge.service.agents import binder

    known = library.definitions
    return RunLibrary(
        catalog=known.catalog,
        contracts=known.contracts,
        tools=known.tools,
        tree=library.tree,
        agent=binder(app, record.task.providers, known.roles),
        masker=app.masker,
        project_rules=library.project_rules,
        config=app.loaded.config,
        machine=app.machine,
    )


@asynccontextmanager
async def _code(app: App, opened: OpenTask, library: Library) -> AsyncIterator[OpenSession]:
    """How stages get what they write code with.

    A thought opens it when a stage asks, because only then its type is known; a change plan, because whoever forges it
    installs nothing.
    """
    from thoughtforge.definitions.drivers import builds, is_plan, is_thought

    task = opened.journal.state.the_task()
    found: list[CodeSession | None] = []
    async with AsyncExitStack() as stack:

        async def session() -> CodeSession | None:
            if not found and is_thought(task):
                from thoughtforge.service.code_session import open_thought

                found.append(await stack.enter_async_context(open_thought(app, opened, library=library)))
            if not found and is_plan(task):
                from thoughtforge.service.code_session import open_code_session

                found.append(await stack.enter_async_context(open_code_session(app, opened, library=library)))
            return found[0] if found else None

        at_once = builds(task) and not is_thought(task) and not is_plan(task)
        if at_once:  # what cannot work is refused before the first model call
            from thoughtforge.service.code_session import open_code_session

            found.append(await stack.enter_async_context(open_code_session(app, opened, library=library)))
        yield session


def _project(app: App, record: TaskRecord) -> Project | None:
    from thoughtforge.definitions.drivers import is_thought
    from thoughtforge.workspaces.project import Project

    return Project(Path(record.task.repository), path=app.search_path) if is_thought(record.task) else None


def _plans(app: App, record: TaskRecord) -> PlanPlace | None:
    from thoughtforge.definitions.drivers import is_plan
    from thoughtforge.forge.place import PlanPlace

    return PlanPlace(app.home.plans, app.masker.text, app.home.shown) if is_plan(record.task) else None


def _home(where: Path) -> Home:
    home = Home(environment.find_home(environment.find_repository(where)))
    if environment.find_repository(home.root) is not None:
        home.refuse_links()
    return home


def _store(home: Home, app: Callable[[], App]) -> FileStore:
    return FileStore(home, masker=lambda: app().masker, clock=_now)


def _now() -> str:
    from datetime import UTC, datetime

    return datetime.now(UTC).isoformat(timespec="microseconds")
