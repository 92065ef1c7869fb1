"""The use cases of a thought, in one process: begin, confirm, say, provide, end, go on."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.thoughts import INTENT, NOTE, agreed, built, review
from stores import SECRET
from thoughtforge.kernel.errors import TaskLocked, UserError
from thoughtforge.kernel.events import RunnerStarted, StageStarted
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import ActionAsked, Said
from thoughtforge.service.app import App
from thoughtforge.service.messages import halt_abandoned
from thoughtforge.service.respond import Decision, Response, ask_to_pause, asks, respond, resume
from thoughtforge.service.show import conversation, thought_report
from thoughtforge.service.thoughts import under_way
from thoughtforge.think.conversation import SHOWN
from thoughtforge.think.stops import ThoughtStop
from unit.service.in_memory import go, kinds, memory_app, put, state_of, thought


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An invocation with the replies of a garden plan, until its proposal is confirmed."""
    return memory_app(tmp_path, rules=agreed())


@pytest.fixture
def presented(app: App) -> str:
    """A thought whose intent waits for a person."""
    task_id = thought(app)
    assert go(app, task_id).rest.reason is StopReason.approval
    return task_id


def act(app: App, task_id: str, word: str, text: str = "") -> Response:
    """What a person decides."""
    return asyncio.run(respond(app, task_id, Decision(word, text=text)))


def waits_at(state: State) -> str:
    """The stage a person is asked about."""
    assert state.awaiting is not None
    return state.awaiting[0]


def test_a_thought_has_a_project_and_begins_with_what_was_asked(app: App, tmp_path: Path) -> None:
    note = tmp_path / "more.md"
    note.write_text("Basil likes sun.")
    task_id = thought(app, resources=[note])
    assert kinds(app, task_id) == ["task_created", "action_asked"]
    project = app.home.project(task_id)
    assert (project / "resources" / "more.md").read_text() == "Basil likes sun."
    assert state_of(app, task_id).the_task().repository == str(project)


def test_a_resource_that_is_not_there_leaves_neither_task_nor_project(app: App, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        thought(app, resources=[tmp_path / "nothing.md"])
    assert (app.store.ids(), list(app.home.projects.iterdir())) == ([], [])


def test_a_draft_by_rules_is_done_without_anybody(app: App) -> None:
    task_id = thought(app, draft=True, provider="builtin")
    assert go(app, task_id).rest.reason is StopReason.done
    assert (app.home.project(task_id) / "docs" / "plan.md").is_file()
    assert app.store.verify(task_id).damage == ()
    assert app.store.peek(task_id).state.the_task().labels == ("builtin", "draft")


def test_the_views_of_a_thought_lie_in_its_local_folder(app: App, presented: str) -> None:
    names = {path.name for path in app.store.local(presented).iterdir()}
    assert {"status.json", "chat_history.json", "state.yaml"} <= names


def test_what_waits_for_a_person_stands_where_it_stands(app: App, presented: str) -> None:
    now = thought_report(app, presented)
    assert (now.exit_code, now.overview.overview.phase, now.title) == (3, "human_review", None)
    assert now.message == conversation(app, presented).messages[-1].content


def test_a_confirmation_is_on_record_and_the_thought_can_go_on(app: App, presented: str) -> None:
    assert waits_at(state_of(app, presented)) == "distill"
    acted = act(app, presented, "confirm")
    assert (acted.runner, acted.runs, acted.what, state_of(app, presented).awaiting) == (None, True, "approved", None)
    assert waits_at(go(app, presented).state) == "spec"
    assert (app.home.project(presented) / "docs" / "intent.md").is_file()


def test_a_thought_that_somebody_runs_is_told_and_not_run_here(app: App, presented: str) -> None:
    with app.store.open(presented, who="bob"):
        acted = act(app, presented, "confirm")
    assert ("bob" in str(acted.runner), acted.runs) == (True, False)
    assert waits_at(state_of(app, presented)) == "distill"
    assert waits_at(go(app, presented).state) == "spec"


def test_what_a_person_says_is_in_the_conversation_masked(app: App, presented: str) -> None:
    act(app, presented, "say", f"The door opens with {SECRET}")
    said = [(m.role, m.content) for m in conversation(app, presented).messages]
    assert said[-1] == ("human", "The door opens with [masked:DOOR]")


def test_a_long_message_is_kept_whole_beside_the_event(app: App, presented: str) -> None:
    text = "Thyme needs little water. " * (SHOWN // 10)
    act(app, presented, "say", text)
    event = list(app.store.peek(presented).read())[-1].event
    assert isinstance(event, Said)
    assert event.text == text[:SHOWN]
    assert event.digest is not None
    assert app.store.peek(presented).blobs.get(event.digest).decode() == text
    assert conversation(app, presented).messages[-1].content == text


def test_an_action_at_the_wrong_place_is_refused_and_leaves_nothing(app: App, presented: str) -> None:
    before = kinds(app, presented)
    for action in ("distill", "provide", "override"):
        with pytest.raises(UserError):
            act(app, presented, action, "x")
    assert kinds(app, presented) == before


def test_an_empty_message_is_refused(app: App, presented: str) -> None:
    with pytest.raises(UserError, match="there is no text"):
        act(app, presented, "say", "  ")


def test_a_thought_that_was_ended_cannot_go_on(app: App, presented: str) -> None:
    assert asks(app, presented, "terminate")
    acted = act(app, presented, "terminate")
    assert (acted.runs, state_of(app, presented).stop) == (False, StopReason.aborted)
    with pytest.raises(UserError):
        asyncio.run(resume(app, presented, listener=lambda record, state: None))


def test_somebody_who_runs_a_thought_is_asked_to_rest(app: App) -> None:
    task_id = thought(app)
    with app.store.open(task_id, who="bob") as task:
        ask_to_pause(app, task_id)
        assert [(m.kind, m.by) for m in task.inbox.waiting()] == [("pause", "ada")]


def test_a_build_nobody_answers_halts_with_its_reason(app: App, presented: str) -> None:
    act(app, presented, "confirm")
    assert waits_at(go(app, presented).state) == "spec"
    act(app, presented, "confirm")
    halted = go(app, presented)  # nobody has written replies for building
    assert halted.rest.reason is StopReason.provider_failed
    now = thought_report(app, presented).overview.overview
    assert (now.phase, now.halted_in, now.halt_reason) == ("halted", "building", "agent_failed")


def test_a_whole_thought_is_built_and_reviewed(tmp_path: Path) -> None:
    clean = {"when": {"context": "form of plan_review"}, "reply": review()}
    app = memory_app(tmp_path, rules=[*agreed(), *built(), clean])
    task_id = thought(app)
    for stage in ("distill", "spec"):
        assert waits_at(go(app, task_id).state) == stage
        assert act(app, task_id, "confirm").runs
    ended = go(app, task_id)
    assert (ended.rest.reason, thought_report(app, task_id).title) == (StopReason.done, INTENT["title"])
    assert {"polish_state.json", "polish_log.md"} <= {p.name for p in app.store.local(task_id).iterdir()}


def test_no_more_thoughts_are_begun_than_there_is_room_for(tmp_path: Path) -> None:
    app = memory_app(tmp_path, rules=agreed(), concurrency={"max_parallel_runs": 1})
    first = thought(app)
    assert under_way(app) == ((first,), ())
    with pytest.raises(UserError, match="too many thoughts are under way: 1/1"):
        thought(app)
    act(app, first, "terminate")
    assert under_way(app).busy == ()
    assert thought(app) != first


def test_a_thought_whose_runner_vanished_halts_and_goes_on(app: App) -> None:
    task_id, quiet = thought(app), thought(app, distill=False)
    for one in (task_id, quiet):
        put(app, one, RunnerStarted(pid=1, host="h", program="p"))
    put(app, task_id, StageStarted(stage="distill", round=1, role="distiller"))
    with app.store.open(task_id, who="bob"):
        assert halt_abandoned(app) == [], "somebody runs it"
    assert halt_abandoned(app) == [task_id]
    assert state_of(app, task_id).reason() is ThoughtStop.server_restart
    assert halt_abandoned(app) == []
    ended = asyncio.run(resume(app, task_id, listener=lambda record, state: None))
    assert waits_at(ended.state) == "distill"


def test_a_thought_without_a_word_waits_for_one(app: App) -> None:
    task_id = thought(app, "", distill=False)
    assert thought_report(app, task_id).overview.overview.phase == "brain_dump"
    act(app, task_id, "say", NOTE)
    assert act(app, task_id, "distill").runs
    assert [r.event.action for r in app.store.peek(task_id).read() if isinstance(r.event, ActionAsked)] == ["distill"]
    assert waits_at(go(app, task_id).state) == "distill"


def test_a_thought_is_not_restored_while_somebody_runs_it(app: App, presented: str) -> None:
    from thoughtforge.service.take import restore

    with app.store.open(presented, who="bob"), pytest.raises(TaskLocked, match="bob"):
        asyncio.run(restore(app, presented))
    with pytest.raises(UserError, match="has no review yet"):
        asyncio.run(restore(app, presented))
