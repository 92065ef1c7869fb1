"""Plan work writes documents and state, and nothing else: each forbidden operation is tried on a real task."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from doubles import Server
from doubles.drive import SHEET, Drive, File
from flows.thoughts import NOTE, Garden, agreed, built, make_app_at, make_garden, polished, section
from thoughtforge.agent.run import Run
from thoughtforge.coding.building import StageBuild
from thoughtforge.deliverables.code.composing import compose_code
from thoughtforge.deliverables.code.exit import measure
from thoughtforge.deliverables.code.polishing import CodeDeliverable
from thoughtforge.deliverables.code.upstream import ThoughtProject
from thoughtforge.kernel.errors import Stop
from thoughtforge.service.library import open_library
from thoughtforge.service.open_task import open_task
from thoughtforge.service.thoughts import Thought, begin
from thoughtforge.think.deliverable import write_of
from thoughtforge.think.documents import allow, refusal, write
from thoughtforge.workspaces.git import Git, Repository

Use = Callable[[Run], Awaitable[object]]
REFUSED = {
    "shell_exec": "make",
    "file_create_source": "src/tool.py",
    "package_install": "requests",
    "test_exec": "pytest",
    "agent_code": "",
}
CHANGE: dict[str, Any] = {
    "stuck": False,
    "files": [{"path": "tool.py", "content": "print('hello')\n"}],
    "removed": ["docs/intent.md"],
}


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A place outside any repository."""
    return make_garden(tmp_path)


@pytest.fixture
def planned(garden: Garden) -> Garden:
    """A thought whose plan is confirmed and not built yet, and which nobody runs; a test of a stranger lies in it."""
    garden.script(*agreed())
    assert garden.json("think", garden.note())["halted_in"] == "building"
    (garden.project / "test_tool.py").write_text("open('ran', 'w').close()\n\n\ndef test_it():\n    pass\n")
    return garden


def with_means(garden: Garden, use: Use) -> None:
    """Let a test work with what drivers work with."""

    async def work() -> None:
        app = make_app_at(garden)
        with open_task(app.store, garden.record.name, who="test") as task:
            git = Git(Repository(garden.project, garden.project / ".git"), path=app.search_path)
            async with (
                open_library(app, git=git) as library,
                app.open_run(app, task, library=library, ask=None) as run,
            ):
                await use(run)

    asyncio.run(work())


def files(garden: Garden) -> dict[str, bytes]:
    """Everything that lies in the project, but for what git itself needs."""
    found = [path for path in sorted(garden.project.rglob("*")) if path.is_file() and ".git" not in path.parts]
    return {str(path.relative_to(garden.project)): path.read_bytes() for path in found if path.name != ".gitkeep"}


async def build(run: Run) -> object:
    """Let an agent build code."""
    return await compose_code(run, run.record.task.pipeline.stage("build"))


async def hand_in(run: Run) -> object:
    """Write what an agent handed in as code."""
    return write(run, "tool.py", "print('hello')\n", deliverable="code")


async def look(run: Run) -> object:
    """Review code, which begins with its tests."""
    return await CodeDeliverable(run, run.record.task.pipeline.stage("polish")).look("")


async def equip(run: Run) -> object:
    """Bring the files to where they are tested, which begins with what they need."""
    return await ThoughtProject("build").enter(site(run))


async def judge(run: Run) -> object:
    """Measure code, which runs the tests and the tools of the gate."""
    return await measure(site(run), {})


def site(run: Run) -> StageBuild:
    """Where a build would be, had anything been opened for it."""
    nowhere: Any = None
    return StageBuild(run, run.record.task.pipeline.stage("build"), nowhere, "")


ATTEMPTS: dict[str, Use] = {
    "agent_code": build,
    "file_create_source": hand_in,
    "test_exec": look,
    "package_install": equip,
    "shell_exec": judge,
}
"""Operation → the engine's own way to it: what drivers of code do, here for a confirmed plan."""


def test_every_operation_that_is_refused_is_attempted() -> None:
    assert set(ATTEMPTS) == set(REFUSED)


@pytest.mark.parametrize("operation", sorted(ATTEMPTS))
def test_what_only_code_does_is_refused_for_a_plan_before_anything_happens(planned: Garden, operation: str) -> None:
    before, calls = files(planned), len(planned.events("call_started"))

    async def attempt(run: Run) -> None:
        with pytest.raises(Stop, match=rf"{operation} .*work on a plan never does that"):
            await ATTEMPTS[operation](run)

    with_means(planned, attempt)
    (refused,) = planned.events("action_taken")
    assert (refused["tool"], refused["outcome"], refused["role"]) == (operation, "refused", "engine")
    assert (files(planned), len(planned.events("call_started"))) == (before, calls)
    assert not (planned.home / "environments").exists()


@pytest.mark.parametrize("operation", sorted(REFUSED))
def test_an_operation_plan_work_never_does_is_refused_before_the_type_is_known(garden: Garden, operation: str) -> None:
    garden.script(*agreed())
    asyncio.run(begin(make_app_at(garden), Thought(text=NOTE)))

    async def attempt(run: Run) -> None:
        with pytest.raises(Stop, match="work on a plan never does that"):
            allow(run, operation, REFUSED[operation], deliverable="plan")

    with_means(garden, attempt)
    (refused,) = garden.events("action_taken")
    assert (refused["tool"], refused["outcome"], refused["role"]) == (operation, "refused", "engine")


def test_an_agent_that_hands_in_code_with_a_plan_gets_none_of_it_written(garden: Garden) -> None:
    steps, time, (first, fix, *rest) = section("steps", times=1), section("time"), polished()
    steps["reply"] = {**steps["reply"], **CHANGE}
    time["reply"]["content"]["../tool.py"] = "print('hello')"
    bad_fix = {**fix, "reply": {**fix["reply"], **CHANGE}, "times": 1}
    garden.script(*agreed(), steps, time, *built(), first, bad_fix, fix, *rest)
    assert garden.json("think", garden.note())["phase"] == "done"
    names = ("constraints.md", "intent.md", "plan.md", "polish_log.md", "spec.md")
    assert sorted(files(garden)) == [f"docs/{name}" for name in names]
    assert [path.name for path in (garden.home / "projects").iterdir()] == [garden.task]
    again = [context for context in garden.contexts() if "what was wrong with your last answer" in context]
    assert [context.count("- files: is an unknown field") for context in again] == [1, 1]
    told = [event["text"] for event in garden.events("warning_given")]
    assert "Time: there is no slot '../tool.py'; its content was dropped" in told


TOKEN = "token-0123456789"
SHEET_ID, TEXT_ID = "0" * 20 + "1", "0" * 20 + "2"


def test_what_a_connector_brings_is_judged_like_everything_that_is_written(garden: Garden) -> None:
    sheet, text = File(SHEET, "herb,pots"), File("text/plain", "water early")
    with Server(Drive(TOKEN, {SHEET_ID: sheet, TEXT_ID: text})) as server:
        drive = {"enabled": True, "token_env": "A_TOKEN", "base_url": server.url}
        garden.script(*agreed(), connectors={"google_drive": drive})
        links = f"https://docs.google.com/spreadsheets/d/{SHEET_ID}/edit https://drive.google.com/file/d/{TEXT_ID}/view"
        garden.json("think", garden.note(f"{NOTE} {links}"), A_TOKEN=TOKEN)
    kept = [f"resources/gdrive_{SHEET_ID}.csv", f"resources/gdrive_{TEXT_ID}.txt"]
    assert [name for name in files(garden) if name.startswith("resources")] == kept
    assert garden.events("action_taken") == []


def test_a_program_from_a_connector_is_refused_on_record_and_halts_nothing(planned: Garden) -> None:
    async def attempt(run: Run) -> None:
        path = "resources/run.sh"
        assert refusal(run, write_of(path), path, deliverable="plan") == (
            "file_create_source (resources/run.sh) writes a file that is neither a document nor state; "
            "work on a plan never does that"
        )

    with_means(planned, attempt)
    assert [event["params"] for event in planned.events("action_taken")] == [{"target": "resources/run.sh"}]


@pytest.mark.parametrize("path", ["setup.py", "docs/run.sh", "../outside.md", "Makefile", "docs/plan.md.exe"])
def test_a_file_that_is_no_document_of_the_project_is_not_written(planned: Garden, path: str) -> None:
    async def attempt(run: Run) -> None:
        with pytest.raises(Stop):
            write(run, path, "echo hello\n", deliverable="code")

    with_means(planned, attempt)
    assert not (planned.project / path).exists()


def test_a_document_is_written(planned: Garden) -> None:
    async def attempt(run: Run) -> None:
        write(run, "docs/plan.md", "# Herbs\n")

    with_means(planned, attempt)
    assert planned.doc("plan.md") == "# Herbs\n"
    assert planned.events("action_taken") == []
