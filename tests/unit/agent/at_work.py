"""A stage that writes files, with everything real around it: record, workspace, sandbox and gate."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.writing import write
from thoughtforge.catalog import Catalog
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import StageStarted, TaskCreated
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Stage
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from thoughtforge.workshop.desk import Desk
from thoughtforge.workshop.workshop import Workshop
from unit.kernel.making import task
from workshops import SHELF, open_desk

T = TypeVar("T")
MASKER = Masker.of({})
RED = Stage(name="red", purpose="p", driver="code", role="tester", output_contract="test_suite")
GREEN = Stage(name="green", purpose="p", driver="code", role="developer", output_contract="implementation")


class Place(NamedTuple):
    """A stage at work."""

    means: Means
    stage: Stage
    desk: Desk
    workshop: Workshop

    @property
    def files(self) -> Path:
        """The workspace's files."""
        return self.workshop.workspace.folder


def means_of(folder: Path, desk: Desk, *stages: Stage) -> Means:
    """The means of a task on these stages whose last one has begun."""
    folder.mkdir(exist_ok=True)
    journal = Journal(FileLog(folder, masker=MASKER, clock=lambda: "2026-01-01T00:00:00+00:00"))
    journal.append(TaskCreated(task=task(*stages), task_file="f"))
    journal.append(StageStarted(stage=stages[-1].name, round=1, role=stages[-1].role))
    return Means(
        journal=journal,
        blobs=FileBlobs(folder, masker=MASKER),
        catalog=Catalog(project={}, user=None),
        contracts={},
        tools={},
        tree=desk.tree,
        agent=nobody,
        masker=MASKER,
        absorb=lambda: None,
        live=lambda text: None,
        ask=None,
        stopwatch=time.monotonic,
        max_output=4096,
        confidence=0.8,
        send_unmasked=False,
        project_rules="",
        workshop=desk.workshop,
    )


def nobody(role: str) -> Agent:
    raise Mistake(f"nobody fills the role {role} here", do="Write a test that needs no agent.")


def at_work(act: Callable[[Place], Awaitable[T]], stage: Stage, files: Mapping[str, str | bytes] = SHELF) -> T:
    """Do something in a stage of its own."""

    async def whole() -> T:
        with tempfile.TemporaryDirectory() as folder:
            async with open_desk(Path(folder), files) as desk:
                means = means_of(Path(folder) / "task", desk, stage)
                desk.edit = lambda edits: write(means, stage, desk, edits)
                try:
                    return await act(Place(means, stage, desk, desk.the_workshop()))
                finally:
                    means.journal.log.close()  # type: ignore[attr-defined]

    return asyncio.run(whole())
