"""The use cases of a task on a repository, in one process: create, run, speak to, look at, remove."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from stores import SECRET
from thoughtforge.kernel.errors import LogCorrupt, TaskLocked, UserError
from thoughtforge.kernel.events import EscalationRaised, EscalationResolved, RunnerStarted, TaskCreated, WarningGiven
from thoughtforge.kernel.model import Escalation, Question
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import AbortAsked, HintGiven, PauseAsked
from thoughtforge.service import show
from thoughtforge.service.app import App
from thoughtforge.service.create import new_id
from thoughtforge.service.messages import OpenQuestion, find_question, send, take_up
from thoughtforge.service.open_task import readable
from thoughtforge.service.prune import prunable, prune
from thoughtforge.service.run import ResumeOptions
from thoughtforge.service.show import open_escalations, result, task_status
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.memory_store import MemoryStore
from unit.service.in_memory import REQUEST, design, go, kinds, put, shelf_app, state_of

ASKED = Escalation(
    id="E-1",
    stage="clarify",
    reason="ambiguity",
    summary="Which format?",
    choices=("answer", "abort"),
    questions=(Question(id="Q-001", text="Which format?", impact="high"),),
)


@pytest.fixture
def app(tmp_path: Path) -> App:
    """An invocation in the sample repository."""
    return shelf_app(tmp_path)


@pytest.fixture
def done(app: App) -> str:
    """A task that has come to its end."""
    task_id = design(app)
    assert go(app, task_id).rest.reason is StopReason.done
    return task_id


def break_line(app: App, task_id: str, number: int) -> None:
    """Damage one line of a record."""
    assert isinstance(app.store, MemoryStore)
    lines = app.store._tasks[task_id].lines
    lines[number - 1] = lines[number - 1].replace(b'"time"', b'"tame"', 1)


def test_a_new_task_holds_the_request_the_plan_and_the_digest_of_its_file(app: App) -> None:
    task_id = design(app)
    (first,) = app.store.peek(task_id).read()
    assert isinstance(first.event, TaskCreated)
    text = (app.store.local(task_id) / "task.yaml").read_bytes()
    assert first.event.task_file == hashlib.sha256(text).hexdigest()
    assert (first.event.task.id, first.event.task.request, first.event.task.goal) == (task_id, REQUEST, "design")
    assert app.store.peek(task_id).blobs.get(first.event.task.request_digest).decode() == REQUEST


def test_a_secret_in_a_request_is_masked_everywhere_and_told(app: App) -> None:
    task_id = design(app, f"Use {SECRET} to open the door")
    state = state_of(app, task_id)
    assert state.the_task().request == "Use [masked:DOOR] to open the door"
    whole = app.store.peek(task_id).blobs.get(state.the_task().request_digest)
    assert whole == b"Use [masked:DOOR] to open the door"
    assert SECRET not in (app.store.local(task_id) / "task.yaml").read_text()
    assert any("DOOR" in warning for warning in state.warnings)
    assert SECRET not in task_id


def test_a_long_request_is_kept_whole_and_shown_short(app: App) -> None:
    request = "Sort the shelf. " * 2_000
    task = state_of(app, task_id := design(app, request)).the_task()
    assert len(task.request) < 4_000
    assert app.store.peek(task_id).blobs.get(task.request_digest).decode() == request
    codes = [r.event.code for r in app.store.peek(task_id).read() if isinstance(r.event, WarningGiven)]
    assert codes == ["request_long"]


def test_a_request_of_nothing_leaves_no_task(app: App) -> None:
    with pytest.raises(UserError, match="the request is empty"):
        design(app, "  ")
    assert app.store.ids() == []


def test_a_new_name_avoids_tasks_and_projects(app: App) -> None:
    first = new_id(app, "2026-01-01", "sort")
    taken = [f"20260101-{int(first.split('-')[1]) + number}-sort" for number in (1, 2)]
    app.home.project(taken[0]).mkdir(parents=True)
    assert new_id(app, "2026-01-01", "sort") == taken[1]


def test_a_design_runs_to_its_end_on_any_store(app: App, done: str) -> None:
    assert (kinds(app, done)[0], kinds(app, done)[-2:]) == ("task_created", ["pipeline_exited", "runner_stopped"])
    assert app.store.summaries()[0]["state"] == "done"
    assert app.store.verify(done).damage == ()
    assert app.store.peek(done).holder() is None
    views = {path.name for path in app.store.local(done).iterdir()}
    assert {"artifacts", "state.yaml", "status.json", "thoughtforge.log"} <= views


def test_what_is_done_stays_done_when_it_is_run_again(app: App, done: str) -> None:
    before = kinds(app, done)
    assert go(app, done).rest.reason is StopReason.done
    assert kinds(app, done) == [*before, "runner_started", "runner_stopped"]


def test_an_aborted_task_is_not_run(app: App) -> None:
    task_id = design(app)
    assert send(app, task_id, "abort", {}).state.stop is StopReason.aborted
    with pytest.raises(UserError, match="was aborted"):
        go(app, task_id)
    assert kinds(app, task_id) == ["task_created", "abort_asked"]


def test_a_task_somebody_runs_is_not_run_twice(app: App) -> None:
    task_id = design(app)
    with app.store.open(task_id, who="bob"), pytest.raises(TaskLocked, match="bob"):
        go(app, task_id)
    assert kinds(app, task_id) == ["task_created"]


def test_the_artifacts_of_a_task_are_shown_by_contract(app: App, done: str) -> None:
    found = result(app, done)
    assert {"intake_record", "clarification", "analysis", "specification"} == set(found)
    assert found["specification"]["requirements"][0]["id"] == "REQ-001"


def test_a_specification_is_taken_over_from_another_task(app: App, done: str) -> None:
    specification = result(app, done)["specification"]
    from_task = state_of(app, design_from(app, done))
    assert from_task.the_task().inputs[0].source == f"task {done}"
    digest = from_task.externals["specification"]
    assert app.store.peek(from_task.the_task().id).blobs.get(digest).decode().count(specification["title"]) >= 1


def design_from(app: App, other: str) -> str:
    """A task that begins where another one ended."""
    import asyncio

    from thoughtforge.service.submit import StartRequest, submit

    return asyncio.run(submit(app, StartRequest(request=REQUEST, pipeline="test", from_task=other))).task_id


def test_a_task_without_a_specification_gives_none(app: App) -> None:
    other = design(app)
    with pytest.raises(UserError, match="has no accepted specification"):
        design_from(app, other)
    assert app.store.ids() == [other]


def test_every_step_can_be_read_in_full(app: App, done: str) -> None:
    task = app.store.peek(done)
    rows = show.steps(task)
    full = show.step(app, done, 1)
    assert [row.step for row in rows][:3] == [1, 2, 3]
    assert REQUEST in full.text["context"]
    report = show.cost_report(app, done)
    assert sum(row.calls for row in report.rows) == len(rows) == kinds(app, done).count("call_started")
    assert report.total.steps == len(rows)
    assert len(show.events(task)) == len(kinds(app, done))
    with pytest.raises(UserError, match="there is no step 99"):
        show.step(app, done, 99)


def test_a_hint_is_on_record_at_once_when_nobody_runs_the_task(app: App) -> None:
    task_id = design(app)
    sent = send(app, task_id, "hint", {"text": f"keep {SECRET} out"})
    assert (sent.runner, sent.state.hints) == (None, ("keep [masked:DOOR] out",))
    assert sent.state == state_of(app, task_id)
    with app.store.open(task_id, who="test") as task:
        assert task.inbox.waiting() == []


def test_a_message_to_a_task_somebody_runs_waits_for_them(app: App) -> None:
    task_id = design(app)
    with app.store.open(task_id, who="bob") as task:
        sent = send(app, task_id, "hint", {"text": "later"})
        assert "bob" in str(sent.runner)
        assert [message.kind for message in task.inbox.waiting()] == ["hint"]
    assert state_of(app, task_id).hints == ()
    assert take_up(app, task_id).hints == ("later",)


def test_a_hint_on_its_way_is_no_answer_to_a_question_that_came_later(app: App) -> None:
    task_id = design(app)
    with app.store.open(task_id, who="bob") as task:
        for kind in ("hint", "say"):
            send(app, task_id, kind, {"text": "mind the gap"})
        task.journal.append(EscalationRaised(escalation=ASKED))
    state = take_up(app, task_id)
    assert (state.hints, list(state.escalations)) == (("mind the gap", "mind the gap"), ["E-1"])


def test_an_answer_on_its_way_fits_only_the_question_it_was_given_to(app: App) -> None:
    task_id = design(app)
    put(app, task_id, EscalationRaised(escalation=ASKED))
    with app.store.open(task_id, who="bob") as task:
        send(app, task_id, "say", {"text": "JSON"})
        settled = EscalationResolved(id="E-1", choice="answer", answers={"*": "YAML"}, by="bob")
        task.journal.append(settled)
        task.journal.append(EscalationRaised(escalation=ASKED.model_copy(update={"id": "E-2"})))
    state = take_up(app, task_id)
    assert list(state.escalations) == ["E-2"]
    assert state.warnings[-1] == "say from ada came too late: there is no open question E-1"


def test_a_run_takes_up_what_waits_before_it_begins(app: App) -> None:
    task_id = design(app)
    app.store.send(task_id, "pause", {}, by="bob")
    app.store.send(task_id, "hint", {"text": "mind the gap"}, by="bob")
    assert go(app, task_id).rest.reason is StopReason.done
    assert kinds(app, task_id)[1:4] == ["pause_asked", "hint_given", "runner_started"]


def test_a_message_that_comes_too_late_is_on_record_as_such(app: App, done: str) -> None:
    app.store.send(done, "hint", {"text": "late"}, by="bob")
    warning = take_up(app, done).warnings[-1]
    assert warning.startswith(f"hint from bob came too late: hint does not fit here; task {done} is done (done)")


def test_a_message_that_does_not_fit_is_refused_before_it_is_sent(app: App, done: str) -> None:
    for kind, what in (
        ("hint", "hint does not fit here"),
        ("pause", "there is nothing to pause"),
        ("sing", "does not know"),
    ):
        with pytest.raises(UserError, match=what):
            send(app, done, kind, {"text": "x"})
    with app.store.open(done, who="test") as task:
        assert task.inbox.waiting() == []


def test_an_open_question_is_found_listed_and_answered(app: App) -> None:
    task_id, other = design(app), design(app)
    put(app, task_id, EscalationRaised(escalation=ASKED))
    assert find_question(app, "E-1") == OpenQuestion(task_id, "E-1")
    (row,) = open_escalations(app)
    assert (row.task, row.overview["id"], row.created_at) == (task_id, "E-1", state_of(app, task_id).time)
    put(app, other, EscalationRaised(escalation=ASKED))
    with pytest.raises(UserError, match="E-1 is open in several tasks"):
        find_question(app, "E-1")
    assert find_question(app, f"{other}:E-1") == OpenQuestion(other, "E-1")
    answer = {"id": "E-1", "choice": "answer", "answers": {"Q-001": "JSON"}}
    assert dict(send(app, task_id, "resolve", answer).state.escalations) == {}
    with pytest.raises(UserError, match="there is no open question E-1"):
        find_question(app, "E-1", task_id)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        ({"id": "E-2", "choice": "answer", "answers": {}}, "there is no open question E-2"),
        ({"id": "E-1", "choice": "accept", "answers": {}}, "you cannot accept E-1"),
        ({"id": "E-1", "choice": "answer", "answers": {"Q-9": "x"}}, "E-1 does not ask Q-9"),
        ({"id": "E-1", "choice": "answer", "answers": {"Q-001": " "}}, "there is no answer for Q-001"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(app: App, data: dict[str, object], what: str) -> None:
    task_id = design(app)
    put(app, task_id, EscalationRaised(escalation=ASKED))
    with pytest.raises(UserError, match=what):
        send(app, task_id, "resolve", data)
    assert kinds(app, task_id) == ["task_created", "escalation_raised"]


def test_the_status_names_the_runner_or_that_it_is_gone(app: App) -> None:
    task_id = design(app)
    put(app, task_id, RunnerStarted(pid=1, host="h", program="p"))
    gone = task_status(app.store, task_id)
    assert (gone.runner, gone.summary.next_action) == (
        None,
        f"Its process is gone; continue: thoughtforge continue {task_id}",
    )
    with app.store.open(task_id, who="bob"):
        assert "bob" in str(task_status(app.store, task_id).runner)


def test_only_old_finished_tasks_are_pruned_and_never_one_that_is_held(app: App, done: str) -> None:
    waiting = design(app)
    halted = design(app)
    put(app, halted, AbortAsked(by="ada"))
    assert prunable(app, days=1, halted=True) == []
    assert prunable(app, days=0, halted=False) == [done]
    assert prunable(app, days=0, halted=True) == [done, halted]
    private = app.home.agents / f"{done}-claude"
    private.mkdir(parents=True)
    with app.store.open(halted, who="bob"):
        assert asyncio.run(prune(app, [done, halted])) == ([done], {halted: "it runs"})
    assert app.store.ids() == [waiting, halted]
    assert not app.store.local(done).exists()
    assert not private.exists()


def test_a_damaged_task_keeps_nobody_from_the_others(app: App) -> None:
    broken, whole = design(app), design(app)
    break_line(app, broken, 1)
    assert readable(app.store, broken) is None
    assert readable(app.store, whole) == state_of(app, whole)
    with pytest.raises(LogCorrupt):
        go(app, broken)


def test_a_loss_a_person_accepts_is_on_record_and_the_task_goes_on(app: App) -> None:
    task_id = design(app)
    put(app, task_id, HintGiven(text="kept"), HintGiven(text="broken"), PauseAsked())
    break_line(app, task_id, 3)
    with pytest.raises(LogCorrupt):
        go(app, task_id)
    assert go(app, task_id, ResumeOptions(accept_loss=True)).rest.reason is StopReason.done
    third = list(app.store.peek(task_id).read())[2].event
    assert third == LossAccepted(lost_after=2, kept_aside="", by="ada")
    assert state_of(app, task_id).hints == ("kept",)
