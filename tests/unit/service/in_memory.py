"""The whole service in one process: real git and real configuration, tasks in memory."""

from __future__ import annotations

import asyncio
import os
import time
from itertools import count
from pathlib import Path
from typing import Any

import yaml

from flows.thoughts import NOTE, Rule
from harness import PLAYBOOK, sample_repository
from stores import SECRET, ticking
from thoughtforge.assembly import open_run, read_settings
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import Event, Record
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task
from thoughtforge.service.run import NO_OPTIONS, ResumeOptions, RunResult, run
from thoughtforge.service.submit import StartRequest, submit
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.settings.trust import TrustStore
from thoughtforge.store.home import Home
from thoughtforge.store.memory_store import MemoryStore
from thoughtforge.testing.access import PackageIndex

REQUEST = "Add a --json flag to the stock report so that scripts can read it"


def offline() -> PackageIndex:
    raise UserError("no package is fetched here", do="Write a test that needs none.")


def memory_app(folder: Path, *, cwd: Path | None = None, rules: list[Rule] | None = None, **config: Any) -> App:
    """An invocation whose tasks are in memory; replies are these rules, or those of the demonstration."""
    home = Home(folder / "home")
    home.prepare()
    playbook = PLAYBOOK
    if rules is not None:
        playbook = home.root / "playbook.yaml"
        playbook.write_text(yaml.safe_dump({"rules": rules}))
    providers = {"script": {"kind": "scripted", "playbook": str(playbook)}}
    given = {"version": 1, "provider": "script", "providers": providers, **config}
    (home.root / "config.yaml").write_text(yaml.safe_dump(given))
    clock, words = ticking(), count(1000)
    app = App(
        store=MemoryStore(folder / "local", masker=lambda: app.masker, clock=clock),
        home=home,
        cwd=cwd or folder,
        user_home=folder,
        user_folder=folder / "settings",
        who="ada",
        program="thoughtforge test",
        search_path=os.environ["PATH"],
        clock=clock,
        stopwatch=time.monotonic,
        new_word=lambda: str(next(words)),
        packages=offline,
        trust=TrustStore(folder / "trust", ""),
        settings=read_settings,
        open_run=open_run,
        secret=lambda name: None,
        known_secrets={"DOOR": SECRET},
    )
    return app


def shelf_app(folder: Path, **config: Any) -> App:
    """An invocation in the sample repository."""
    place = folder / "shelf"
    place.mkdir()
    return memory_app(folder, cwd=sample_repository(place), **config)


def thought(app: App, text: str = NOTE, **flags: Any) -> str:
    """A new thought."""
    return asyncio.run(begin(app, Thought(text=text, **flags)))


def design(app: App, request: str = REQUEST, **flags: Any) -> str:
    """A new task that ends with a specification."""
    return asyncio.run(submit(app, StartRequest(request=request, pipeline="design", **flags))).task_id


def go(app: App, task_id: str, wishes: ResumeOptions = NO_OPTIONS) -> RunResult:
    """Run until it rests."""

    def silent(record: Record, state: State) -> None:
        return

    return asyncio.run(run(app, task_id, listener=silent, wishes=wishes))


def state_of(app: App, task_id: str) -> State:
    """The task as a reader sees it now."""
    return app.store.peek(task_id).state


def kinds(app: App, task_id: str) -> list[str]:
    """The types of its events, in order."""
    return [record.event.type for record in app.store.peek(task_id).read()]


def put(app: App, task_id: str, *events: Event) -> None:
    """Put facts on record by hand."""
    with open_task(app.store, task_id, who="test") as task:
        for event in events:
            task.journal.append(event)
