"""Drivers of documents in one process: real contexts and tools, scripted replies, the record in memory."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from thoughtforge.agent.run import Permission, Run
from thoughtforge.agent.stage_runner import StageRunner
from thoughtforge.calls.events import CallStarted
from thoughtforge.drivers import analyze, clarify, document
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import ArtifactMade, GateDecided, StagePassed, StageStarted
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.library import open_library
from thoughtforge.service.open_task import open_task
from unit.service.in_memory import REQUEST, design, kinds, shelf_app

Use = Callable[[Run], Awaitable[None]]


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An invocation in the sample repository with the replies of the demonstration."""
    return shelf_app(tmp_path)


def at(app: App, use: Use, **more: Any) -> str:
    """Work with what drivers work with; the task."""
    task_id = design(app)

    async def work() -> None:
        with open_task(app.store, task_id, who="test") as task:
            async with (
                open_library(app) as library,
                app.open_run(app, task, library=library, ask=more.get("ask")) as run,
            ):
                await use(run)

    asyncio.run(work())
    return task_id


def begin(run: Run, name: str) -> Stage:
    stage = run.record.task.pipeline.stage(name)
    run.record.journal.append(StageStarted(stage=name, round=1, role=stage.role))
    return stage


def test_a_document_is_one_call_and_the_engine_fills_in_what_it_knows(app: App) -> None:
    made: list[JsonObject] = []

    async def use(run: Run) -> None:
        outcome = await document.work(run, begin(run, "intake"))
        assert isinstance(outcome, Produced)
        made.append(json.loads(run.record.blobs.get(outcome.artifact)))
        assert made[0]["request_id"] == run.record.task.id

    task_id = at(app, use)
    assert made[0]["original_request"] == REQUEST
    assert kinds(app, task_id) == ["task_created", "stage_started", "call_started", "call_ended"]


def test_a_call_that_ended_is_not_made_again(app: App) -> None:
    async def use(run: Run) -> None:
        stage = begin(run, "intake")
        assert await document.work(run, stage) == await document.work(run, stage)

    assert kinds(app, at(app, use)).count("call_started") == 1


def test_what_an_agent_was_told_is_in_the_record(app: App) -> None:
    async def use(run: Run) -> None:
        await document.work(run, begin(run, "intake"))

    task = app.store.peek(at(app, use))
    (started,) = [r.event for r in task.read() if isinstance(r.event, CallStarted)]
    assert REQUEST in task.blobs.get(started.context).decode()
    assert (started.stage, started.provider) == ("intake", "script")


def test_a_person_who_says_no_rests_the_task_before_the_call(app: App) -> None:
    async def deny(tool: str, params: JsonObject) -> Permission:
        return Permission(False, "not today")

    async def use(run: Run) -> None:
        with pytest.raises(Stop, match="write was not allowed: not today") as stopped:
            await document.work(run, begin(run, "intake"))
        assert stopped.value.reason is StopReason.paused

    assert kinds(app, at(app, use, ask=deny)) == ["task_created", "stage_started"]


def test_steps_are_calls_with_one_action_each(app: App) -> None:
    async def use(run: Run) -> None:
        outcome = await analyze.work(run, begin(run, "analyze"))
        assert isinstance(outcome, Produced)

    found = kinds(app, at(app, use))[2:]
    assert found == ["call_started", "call_ended", "action_taken"] * (len(found) // 3)
    assert len(found) >= 6


def test_questions_are_answered_from_the_repository_once_there_are_any(app: App) -> None:
    async def use(run: Run) -> None:
        intake = begin(run, "intake")
        made = await document.work(run, intake)
        assert isinstance(made, Produced)
        verdict = await StageRunner(run).judge(intake, made.artifact)
        assert verdict.outcome == "pass"

        run.record.journal.append(
            ArtifactMade(stage="intake", round=1, contract="intake_record", artifact=made.artifact)
        )
        run.record.journal.append(
            GateDecided(stage="intake", round=1, to="clarify", artifact=made.artifact, verdict=verdict)
        )
        run.record.journal.append(StagePassed(stage="intake", artifact=made.artifact))
        outcome = await clarify.work(run, begin(run, "clarify"))
        assert not isinstance(outcome, NeedsPerson)
        answers = json.loads(run.record.blobs.get(outcome.artifact))
        assert len(json.dumps(answers)) > 100

    assert "draft_made" in kinds(app, at(app, use))
