"""Plan work writes documents and state, and nothing else: each forbidden operation is tried on a real task."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from flows.thoughts import NOTE, Garden, agreed, make_app_at, make_garden
from thoughtforge.agent.means import Means
from thoughtforge.intake.documents import allow, write
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.loop import Journal
from thoughtforge.service.library import open_library
from thoughtforge.service.run import means_of
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.store.lease import lease
from thoughtforge.store.log import FileLog

REFUSED = {
    "shell_exec": "make",
    "file_create_source": "src/tool.py",
    "package_install": "requests",
    "test_exec": "pytest",
    "agent_code": "",
}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A place with one thought nobody runs."""
    garden = make_garden(tmp_path)
    garden.script(*agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE)))
    return garden


def with_means(garden: Garden, use: Callable[[Means], None]) -> None:
    """Let a test work with what drivers work with."""

    async def work() -> None:
        app, folder = make_app_at(garden), garden.record
        with lease(folder, who="test"):
            log = FileLog(folder, masker=app.masker, clock=app.clock)
            blobs = FileBlobs(folder, masker=app.masker)
            try:
                async with open_library(app, root=garden.project) as library:
                    use(means_of(app, folder, Journal(log), blobs=blobs, library=library, ask=None))
            finally:
                log.close()

    asyncio.run(work())


@pytest.mark.parametrize("operation", sorted(REFUSED))
def test_an_operation_plan_work_never_does_is_refused_and_on_record(garden: Garden, operation: str) -> None:
    def attempt(means: Means) -> None:
        with pytest.raises(Stop, match="work on a plan never does that"):
            allow(means, operation, REFUSED[operation], deliverable="plan")

    with_means(garden, attempt)
    (refused,) = garden.events("action_taken")
    assert (refused["tool"], refused["outcome"], refused["role"]) == (operation, "refused", "engine")


@pytest.mark.parametrize("path", ["setup.py", "docs/run.sh", "../outside.md", "Makefile", "docs/plan.md.exe"])
def test_a_file_that_is_no_document_of_the_project_is_not_written(garden: Garden, path: str) -> None:
    def attempt(means: Means) -> None:
        with pytest.raises(Stop):
            write(means, path, "echo hello\n")

    with_means(garden, attempt)
    assert not (garden.project / path).exists()


def test_a_document_is_written(garden: Garden) -> None:
    with_means(garden, lambda means: write(means, "docs/plan.md", "# Herbs\n"))
    assert garden.doc("plan.md") == "# Herbs\n"
