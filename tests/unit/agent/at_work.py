"""A stage that writes files, with everything real around it: record, workspace, sandbox and gate."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from sessions import SHELF, open_context
from thoughtforge.agent.run import Agent, People, Run, RunLibrary, TaskRecord
from thoughtforge.catalog import Catalog
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.coding.writing import write
from thoughtforge.definitions.drivers import TESTS, writes
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import StageStarted, TaskCreated
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Stage
from thoughtforge.settings.config import Config
from thoughtforge.settings.environment import Machine
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from unit.kernel.making import task

T = TypeVar("T")
MASKER = Masker.of({})
RED = Stage(name="red", purpose="p", driver="code", role="tester", output_contract="test_suite")
GREEN = Stage(name="green", purpose="p", driver="code", role="developer", output_contract="implementation")


class Place(NamedTuple):
    """A stage at work."""

    run: Run
    stage: Stage
    context: ToolContext
    session: CodeSession

    @property
    def files(self) -> Path:
        """The workspace's files."""
        return self.session.workspace.folder


def run_of(folder: Path, context: ToolContext, *stages: Stage) -> Run:
    """The means of a task on these stages whose last one has begun."""
    folder.mkdir(exist_ok=True)
    journal = Journal(FileLog(folder, masker=MASKER, clock=lambda: "2026-01-01T00:00:00+00:00"))
    journal.append(TaskCreated(task=task(*stages), task_file="f"))
    journal.append(StageStarted(stage=stages[-1].name, round=1, role=stages[-1].role))
    library = RunLibrary(
        catalog=Catalog(project={}, user=None),
        contracts={},
        tools={},
        tree=context.tree,
        agent=nobody,
        masker=MASKER,
        project_rules="",
        config=Config(),
        machine=Machine(lambda name: None, folder),
    )

    async def session() -> CodeSession | None:
        return context.session

    return Run(
        record=TaskRecord(journal, FileBlobs(folder, masker=MASKER)),
        people=People(waiting=list, absorb=lambda: None, live=lambda text: None),
        library=library,
        stopwatch=time.monotonic,
        session=session,
    )


def nobody(role: str) -> Agent:
    raise UserError(f"nobody fills the role {role} here", do="Write a test that needs no agent.")


def at_work(act: Callable[[Place], Awaitable[T]], stage: Stage, files: Mapping[str, str | bytes] = SHELF) -> T:
    """Do something in a stage of its own."""

    async def whole() -> T:
        with tempfile.TemporaryDirectory() as folder:
            async with open_context(Path(folder), files) as context:
                run = run_of(Path(folder) / "task", context, stage)
                mine = replace(context, edit=lambda at, edits: write(run, stage, at, edits, red=writes(stage) == TESTS))
                try:
                    return await act(Place(run, stage, mine, mine.the_session()))
                finally:
                    run.record.journal.log.close()  # type: ignore[attr-defined]

    return asyncio.run(whole())
