"""A decision in one process: what it did, who runs the task, whether it can go on now, what to do next."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import DecisionMade, EscalationRaised, RunnerStopped
from thoughtforge.kernel.model import Escalation, Pauses, Question
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.messages import OpenQuestion, find_question
from thoughtforge.service.respond import Decision, Response, respond
from thoughtforge.service.show import conversation, end_of
from thoughtforge.views.values import as_data
from unit.service.in_memory import design, go, kinds, put, shelf_app, state_of

ASKED = Escalation(
    id="E-1",
    stage="clarify",
    reason="ambiguity",
    summary="Which format?",
    questions=(Question(id="Q-001", text="Which format?"),),
)


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An invocation in the sample repository."""
    return shelf_app(tmp_path)


@pytest.fixture
def shown(app: App) -> str:
    """A task that shows its first version to a person."""
    task_id = design(app, pauses=Pauses(supervised=True))
    assert go(app, task_id).rest.reason is StopReason.approval
    return task_id


def decide(app: App, task_id: str, word: str, **given: object) -> Response:
    """What a person decides."""
    return asyncio.run(respond(app, task_id, Decision(word, **given)))  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["approve", "confirm"])
def test_both_words_accept_a_version_and_the_task_can_go_on(app: App, shown: str, word: str) -> None:
    response = decide(app, shown, word)
    assert (response.what, response.runner, response.runs) == ("approved", None, True)
    assert response.next_action == f"Continue: thoughtforge continue {shown}"
    assert state_of(app, shown).awaiting is None


@pytest.mark.parametrize("word", ["say", "hint", "feedback"])
def test_words_at_a_version_request_changes(app: App, shown: str, word: str) -> None:
    assert decide(app, shown, word, text="Name the encoding").what == "changes requested"
    *_, last = app.store.peek(shown).read()
    assert isinstance(last.event, DecisionMade)
    assert (last.event.decision, last.event.feedback and last.event.feedback.items) == (
        "revise",
        ("Name the encoding",),
    )
    assert go(app, shown).rest.reason is StopReason.approval


def test_a_long_text_reaches_the_task_whole(app: App, shown: str) -> None:
    text = "Name the encoding. " * 500
    decide(app, shown, "feedback", items=(text,))
    *_, last = app.store.peek(shown).read()
    assert isinstance(last.event, DecisionMade)
    assert last.event.feedback is not None
    assert last.event.feedback.items == (text,)


@pytest.mark.parametrize("word", ["say", "hint", "feedback", "provide"])
def test_words_at_a_question_answer_it(app: App, word: str) -> None:
    task_id = design(app)
    put(app, task_id, EscalationRaised(escalation=ASKED), RunnerStopped(reason=StopReason.question))
    response = decide(app, task_id, word, text="JSON")
    assert (response.what, response.runs) == ("E-1 settled (answer)", True)
    answers = state_of(app, task_id).stage("clarify").answers
    assert answers["Q-001"].text == "JSON"


def test_a_question_is_found_by_its_task_too(app: App) -> None:
    task_id = design(app)
    put(app, task_id, EscalationRaised(escalation=ASKED))
    found = find_question(app, "last")
    assert found == OpenQuestion(task_id, "")
    response = decide(app, task_id, "resolve", question=found.id, answers={"*": "JSON"})
    assert response.what == "E-1 settled (answer)"
    with pytest.raises(UserError, match="there is no open question nobody"):
        find_question(app, "nobody")


def test_a_hint_runs_nothing(app: App) -> None:
    task_id = design(app)
    response = decide(app, task_id, "say", text="Be brief")
    assert (response.what, response.runs) == ("hint recorded", False)
    assert conversation(app, task_id).messages[-1].content == "Be brief"


def test_a_decision_on_a_task_at_work_waits_for_its_process(app: App, shown: str) -> None:
    with app.store.open(shown, who="bob"):
        response = decide(app, shown, "approve")
    assert ("bob" in str(response.runner), response.runs) == (True, False)
    assert [action.command for action in response.next_actions] == [
        f"thoughtforge status {shown} --watch",
        f"thoughtforge pause {shown}",
    ]
    assert "decision_made" not in kinds(app, shown)


@pytest.mark.parametrize("word", ["abort", "terminate"])
def test_both_words_end_a_task_and_only_one_may_be_said_twice(app: App, shown: str, word: str) -> None:
    assert decide(app, shown, word).what == "aborted"
    assert decide(app, shown, "abort").what == "aborted"
    with pytest.raises(UserError, match="terminate does not fit here"):
        decide(app, shown, "terminate")


def test_the_end_of_a_run_names_the_version_that_waits(app: App) -> None:
    task_id = design(app, pauses=Pauses(supervised=True))
    data = as_data(end_of(app, go(app, task_id)))
    assert (data["exit_code"], data["state"], data["awaiting"]) == (3, "needs_person", ["intake", 1])
    assert [action["command"] for action in data["next_actions"]] == [
        f"thoughtforge approve {task_id}",
        f"thoughtforge feedback {task_id} TEXT",
        f"thoughtforge reject {task_id} TEXT",
        f"thoughtforge approve {task_id} --exit",
    ]
