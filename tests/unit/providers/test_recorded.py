"""The recorded provider: replies from a task's record, and what it says when a call is not in it."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest
import yaml

from harness import REQUEST, configure, events, git, thoughtforge
from recording import Said, record
from thoughtforge.calls.port import Model, ProviderError, Reply, Reservation, Transient, Usage
from thoughtforge.kernel.errors import UserError
from thoughtforge.providers import recorded
from thoughtforge.settings.environment import Machine

TASK = "20260101-aaaa-plan"
OTHER = "20260202-bbbb-plan"
SYSTEM = "# Software Architect"


def context(task: str = TASK, *, stage: str = "analyze", files: str = "a.py", step: int = 1, at: str = "noon") -> str:
    """A context like the engine's, with every kind of text that differs from task to task."""
    mark = hashlib.sha256(f"{files} {at}".encode()).hexdigest()[:8]
    material = f"<data {mark} files>\n## usage\n./: {files}\nresolved_at: {at}\n</data {mark}>"
    return (
        f"## task_frame\nid: {task}\nstage: {stage}\n\n"
        f"## current_state\n### files\n{material}\n\n"
        f"## recent_actions\n- step {step} read_file path={task}.md → ok"
    )


def model_of(home: Path, *calls: Said, **options: str) -> Model:
    record(home / "tasks" / TASK, *calls)
    given = recorded.Options.model_validate({"task": TASK, **options})
    return recorded.make(given, Machine(lambda name: None, home))


def say(model: Model, asked: str, *, system: str = SYSTEM) -> Reply:
    return asyncio.run(_complete(model, system, asked))


async def _complete(model: Model, system: str, asked: str) -> Reply:
    return await model.complete(system, asked, max_output=100)


def differs(model: Model, asked: str, *, system: str = SYSTEM) -> str:
    with pytest.raises(ProviderError) as caught:
        say(model, asked, system=system)
    assert (caught.value.kind, isinstance(caught.value, Transient)) == ("differs", False)
    return caught.value.message


def test_the_same_call_of_another_task_gets_the_recorded_reply_and_costs_nothing(tmp_path: Path) -> None:
    usage = Usage(input_tokens=900, output_tokens=20)
    model = model_of(tmp_path, Said(SYSTEM, context(), "yes", usage))
    wanted = Reply(text="yes", model="local-model-2", usage=usage, usd=0.0)
    assert say(model, context()) == wanted
    assert say(model, context(OTHER, step=7, at="midnight")) == wanted
    assert model.reserve("é", "1234", 10) == Reservation(tokens=920, usd=0.0)
    assert model.reserve("é", "1234", 1000) == Reservation(tokens=1006, usd=0.0)
    assert (model.offsite, model.label, model.model) == (False, "recorded", "recorded")


def test_equal_calls_get_their_replies_in_order_and_the_last_one_again(tmp_path: Path) -> None:
    calls = [Said(SYSTEM, context(), reply) for reply in ("first", None, "second")]
    model = model_of(tmp_path, *calls)
    assert [say(model, context(OTHER)).text for _ in range(4)] == ["first", "second", "second", "second"]


def test_a_call_that_is_not_recorded_names_the_step_the_part_and_the_line_that_differs(tmp_path: Path) -> None:
    model = model_of(
        tmp_path,
        Said(SYSTEM, context(files="a.py"), "one"),
        Said(SYSTEM, context(files="a.py, c.py"), "two"),
        Said(SYSTEM, context(stage="spec"), "three", stage="spec"),
    )
    told = differs(model, context(OTHER, files="a.py, b.py"))
    where = "step 1 of task 20260101-aaaa-plan (analyze, software_architect) differs in current_state (“files”)"
    assert told == f"{where}: recorded “./: a.py”, now “./: a.py, b.py”."
    told = differs(model, context(OTHER, stage="spec") + " then more")
    where = "step 3 of task 20260101-aaaa-plan (spec, software_architect) differs in recent_actions"
    line = "- step N read_file path=TASK.md → ok"
    assert told == f"{where}: recorded “{line}”, now “{line} then more”."
    assert differs(model, context(OTHER, stage="red")) == "task 20260101-aaaa-plan has no finished call at stage red."
    told = differs(model, context(), system="# Test Engineer")
    where = "step 1 of task 20260101-aaaa-plan (analyze, software_architect) differs in system"
    assert told == f"{where}: recorded “# Software Architect”, now “# Test Engineer”."


def test_of_long_lines_the_place_that_differs_is_shown_and_a_missing_line_is_told(tmp_path: Path) -> None:
    model = model_of(tmp_path, Said(SYSTEM, context(files="x" * 200 + "old" + "y" * 200), "one"))
    told = differs(model, context(files="x" * 200 + "new" + "y" * 200))
    assert told.endswith(f"recorded “…{'x' * 40}old{'y' * 77}…”, now “…{'x' * 40}new{'y' * 77}…”.")
    shorter = context(files="x" * 200 + "old" + "y" * 200).rpartition("\n")[0]
    told = differs(model, shorter)
    assert told.endswith(
        "differs in recent_actions: recorded “- step N read_file path=TASK.md → ok”, now nothing more."
    )


def test_a_task_is_named_by_id_in_this_home_or_another_or_by_its_folder(tmp_path: Path) -> None:
    record(tmp_path / "there" / "tasks" / TASK, Said(SYSTEM, context(), "yes"))
    (tmp_path / "here").mkdir()
    for options in ({"task": TASK, "home": "../there"}, {"task": f"../there/tasks/{TASK}"}):
        model = recorded.make(recorded.Options.model_validate(options), Machine(lambda name: None, tmp_path / "here"))
        assert say(model, context(OTHER)).text == "yes"
    with pytest.raises(UserError) as caught:
        recorded.make(recorded.Options(task=TASK), Machine(lambda name: None, tmp_path / "here"))
    assert caught.value.what == f"there is no recorded task at {tmp_path / 'here' / 'tasks' / TASK}"


def test_a_damaged_record_is_not_replayed_and_all_damage_is_listed(tmp_path: Path) -> None:
    folder = record(tmp_path / "tasks" / TASK, Said(SYSTEM, context(), "yes"))
    blobs = sorted((folder / "blobs").iterdir())
    for blob in blobs[:2]:
        blob.write_bytes(b"other")
    with pytest.raises(UserError) as caught:
        recorded.make(recorded.Options(task=TASK), Machine(lambda name: None, tmp_path))
    assert caught.value.what == f"the record of {TASK} is damaged, so it cannot be replayed"
    assert caught.value.details == tuple(f"{blob}: the content does not match its name" for blob in blobs[:2])


def test_a_task_without_a_finished_call_has_nothing_to_replay(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"task {TASK} has no finished call to replay"):
        model_of(tmp_path, Said(SYSTEM, context(), None))


def test_a_design_is_replayed_from_its_record_until_the_repository_differs(shelf: Path, person: Path) -> None:
    first = thoughtforge("design", REQUEST, "--json", cwd=shelf, home=person).json
    configure(shelf, providers={"again": {"kind": "recorded", "task": first["task"]}})
    told = thoughtforge("design", REQUEST, cwd=shelf, home=person)
    assert told.code == 0
    assert "replies are recorded: no model makes them" in told.err
    second = thoughtforge("status", "last", "--json", cwd=shelf, home=person).json
    calls = [event for event in events(shelf, second["task"]) if event["type"] == "call_started"]
    assert (second["labels"], {call["provider"] for call in calls}, len(calls)) == (["recorded"], {"again"}, 10)
    ended = [event["usd"] for event in events(shelf, second["task"]) if event["type"] == "call_ended"]
    assert ended == [0.0] * 10
    assert second["exit"]["artifact"] == first["deliverable"]["digest"]

    (shelf / "shelf" / "orders.py").write_text('"""What was ordered."""\n')
    git("add", "shelf/orders.py", cwd=shelf)
    git("commit", "-q", "-m", "Orders", cwd=shelf)
    third = thoughtforge("design", REQUEST, "--json", cwd=shelf, home=person)
    assert (third.code, third.json["reason"]) == (1, "provider_failed")
    assert third.json["detail"] == (
        f"again (differs): step 1 of task {first['task']} (intake, requirements_analyst) differs in current_state "
        "(“files of the repository”): recorded “shelf/: __init__.py, cli.py, items.py, report.py”, "
        "now “shelf/: __init__.py, cli.py, items.py, orders.py, report.py”. "
        "A replay needs the same request, commit, configuration and version; else use another provider."
    )
    spec = yaml.safe_load(Path(first["deliverable"]["path"]).read_text())
    assert [row["id"] for row in spec["requirements"]] == ["REQ-001", "REQ-002", "REQ-003", "REQ-004"]
