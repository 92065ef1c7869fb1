"""The fold: the same state whichever way the log is cut, and never an exception, whatever is in the log."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from thoughtforge.calls.events import ActionTaken, HandedAlong
from thoughtforge.forge.events import (
    DraftRefused,
    FilesTouched,
    PhaseEnded,
    PhasesMade,
    PlanMade,
    PlanWritten,
)
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import CHANGES, EMPTY, KEPT_WARNINGS, changes, fold, fold_one
from thoughtforge.kernel.model import Feedback, Question
from thoughtforge.kernel.route import next_step
from thoughtforge.kernel.state import HumanAnswer, State
from thoughtforge.kernel.stops import StopReason, TaskStatus
from thoughtforge.people.events import KEPT_HINTS, AbortAsked, CopyWanted, HintGiven, PauseAsked
from thoughtforge.store.events import LossAccepted
from thoughtforge.workspaces.events import EditPlanned
from unit.kernel.generated import CLASSES, SEQUENCES, STEADY, of_model
from unit.kernel.making import BROKEN, FAILED, begun, judged, made, passed, raised, records, reviewed, story, task

UNKNOWN = e.Unknown("moon_landed", 3, {"type": "moon_landed"})


@settings(STEADY, max_examples=150)
@given(SEQUENCES, st.data())
def test_the_fold_of_a_prefix_and_then_of_the_rest_is_the_fold_of_the_whole(
    events: list[e.Event], data: st.DataObject
) -> None:
    log = records(events)
    cut = data.draw(st.integers(0, len(log)))
    assert fold(fold(EMPTY, log[:cut]), log[cut:]) == fold(EMPTY, log)


@settings(STEADY, max_examples=150)
@given(SEQUENCES)
def test_no_sequence_of_events_makes_the_fold_fail(events: list[e.Event]) -> None:
    state = story(*events, UNKNOWN)
    assert (state.seq, state.unknown) == (len(events) + 2, ("moon_landed v3",))
    assert isinstance(state.status(), TaskStatus)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_kind_of_event_folds_into_an_empty_state(kind: type[e.Event]) -> None:
    @settings(STEADY, max_examples=10)
    @given(of_model(kind))
    def check(event: e.Event) -> None:
        state = fold_one(EMPTY, e.Record(1, "2026-01-01T00:00:00+00:00", event))
        assert (state.seq, state.time) == (1, "2026-01-01T00:00:00+00:00")
        assert state.messages == ({event.message} if event.message else frozenset())

    check()


def test_only_events_that_are_read_elsewhere_leave_the_state_alone() -> None:
    plans = {
        PlanMade,
        PlanWritten,
        DraftRefused,
        PhasesMade,
        PhaseEnded,
        FilesTouched,
    }  # the plan of a task has these
    assert set(CLASSES) - set(CHANGES) == {
        e.IterationStarted,
        LossAccepted,
        EditPlanned,
        HandedAlong,
        CopyWanted,
        *plans,
    }


def test_an_event_of_a_room_changes_the_state_in_one_way() -> None:
    with pytest.raises(ValueError, match="HintGiven changes the state twice"):
        changes({HintGiven: lambda state, event: state})


def test_a_fresh_round_forgets_what_the_round_before_was_about() -> None:
    state = story(begun("intake"), made("intake", "a"), judged("intake", "a", FAILED), begun("intake", round=2))
    stage = state.stage("intake")
    assert (stage.status, stage.round, stage.verdict, stage.repairs) == ("working", 2, None, 1)
    assert stage.feedback == (Feedback(kind="contract", iteration=1, items=("title: is missing",)),)
    assert stage.versions == ("a",)


def test_other_inputs_start_the_count_of_repairs_and_reviews_again() -> None:
    state = story(begun("spec", "x"), made("spec", "a"), judged("spec", "a", FAILED), begun("spec", "y", round=2))
    assert (state.stage("spec").repairs, state.stage("spec").review_iteration) == (0, 0)


def test_a_broken_verdict_is_asked_for_again_when_a_runner_starts() -> None:
    state = story(begun("intake"), made("intake", "a"), judged("intake", "a", BROKEN))
    assert type(next_step(state)).__name__ == "Stopped"
    again = fold_one(state, e.Record(9, state.time, e.RunnerStarted(pid=1, host="h", program="p")))
    assert type(next_step(again)).__name__ == "Judge"


def test_an_answer_reaches_the_stage_with_the_question_it_answers() -> None:
    question = Question(id="Q-1", text="Which colour?")
    state = story(
        raised("intake", questions=(question,)),
        e.EscalationResolved(id="E-1", answers={"Q-1": "Blue", "Q-2": "never asked"}, by="ada"),
    )
    stage = state.stage("intake")
    assert dict(stage.answers) == {"Q-1": HumanAnswer("Blue", "ada", state.time)}
    assert stage.feedback == (Feedback(kind="answer", items=("Which colour? → Blue",)),)
    assert (state.escalations, state.raised, state.reason()) == ({}, 1, None)


def test_one_answer_for_all_reaches_every_question() -> None:
    questions = (Question(id="Q-1", text="One?"), Question(id="Q-2", text="Two?"))
    state = story(raised("intake", questions=questions), e.EscalationResolved(id="E-1", answers={"*": "Yes"}))
    assert {key: answer.text for key, answer in state.stage("intake").answers.items()} == {"Q-1": "Yes", "Q-2": "Yes"}
    assert state.stage("intake").feedback == (Feedback(kind="answer", items=("One? → Yes", "Two? → Yes")),)


def test_an_answer_to_a_question_nobody_asked_changes_nothing() -> None:
    before = story()
    after = fold_one(before, e.Record(2, before.time, e.EscalationResolved(id="E-9", choice="abort")))
    assert (after.stop, after.stages, after.escalations) == (before.stop, before.stages, before.escalations)


def test_the_newest_hints_and_warnings_are_kept_and_actions_are_counted() -> None:
    many = range(60)
    noted = [ActionTaken(stage="spec", round=1, step=n, role="r", tool="t", outcome="ok", summary="") for n in many]
    state = story(*(HintGiven(text=f"h{n}") for n in many), *(e.WarningGiven(text=f"w{n}") for n in many), *noted)
    assert state.hints == tuple(f"h{n}" for n in many)[-KEPT_HINTS:]
    assert state.warnings == tuple(f"w{n}" for n in many)[-KEPT_WARNINGS:]
    assert (state.stage("spec").steps, state.stage("spec").total_steps, state.last_action) == (60, 60, "t")


def test_a_finished_reply_waits_for_its_use_and_is_then_gone() -> None:
    from unit.kernel.making import call, ended

    waiting = story(begun("intake"), call(1), ended(1))
    assert dict(waiting.stage("intake").replies) == {"key-1": "reply-1"}
    assert story(begun("intake"), call(1), ended(1), made("intake", "a")).stage("intake").replies == {}


STOPPED: list[tuple[str, list[e.Event], StopReason | None, TaskStatus]] = [
    ("nothing happened yet", [], None, TaskStatus.pending),
    ("a runner is at work", [e.RunnerStarted(pid=1, host="h", program="p")], None, TaskStatus.running),
    ("a question is open", [raised("spec")], StopReason.question, TaskStatus.needs_person),
    (
        "a version is shown",
        [e.IterationPresented(stage="spec", iteration=1, artifact="a")],
        StopReason.approval,
        TaskStatus.needs_person,
    ),
    ("a pause was asked for", [PauseAsked()], StopReason.paused, TaskStatus.needs_person),
    (
        "a pause while a question is open",
        [raised("spec"), PauseAsked()],
        StopReason.question,
        TaskStatus.needs_person,
    ),
    (
        "the provider failed",
        [e.RunnerStopped(reason=StopReason.provider_failed)],
        StopReason.provider_failed,
        TaskStatus.halted,
    ),
    ("an abort was asked for", [raised("spec"), AbortAsked()], StopReason.aborted, TaskStatus.halted),
    (
        "a question was answered with abort",
        [raised("spec"), e.EscalationResolved(id="E-1", choice="abort")],
        StopReason.aborted,
        TaskStatus.halted,
    ),
    (
        "an abort outlives a new runner",
        [AbortAsked(), e.RunnerStarted(pid=1, host="h", program="p")],
        StopReason.aborted,
        TaskStatus.halted,
    ),
    (
        "a runner starts again after a failure",
        [e.RunnerStopped(reason=StopReason.bug), e.RunnerStarted(pid=1, host="h", program="p")],
        None,
        TaskStatus.running,
    ),
    (
        "an abort after the end changes nothing",
        [e.PipelineExited(stage="spec", exit_type="default", deliverable="d", artifact="a"), AbortAsked()],
        StopReason.done,
        TaskStatus.done,
    ),
]


@pytest.mark.parametrize(("events", "reason", "status"), [row[1:] for row in STOPPED], ids=[row[0] for row in STOPPED])
def test_the_reason_and_the_status_follow_from_the_events(
    events: list[e.Event], reason: StopReason | None, status: TaskStatus
) -> None:
    state = story(*events)
    assert (state.reason(), state.status()) == (reason, status)


def test_accepted_artifacts_are_those_of_passed_stages_and_those_from_outside() -> None:
    outside = e.ExternalImported(contract="test_suite", source="s", artifact="t", verdict=judged("x", "t").verdict)
    state = story(outside, *passed("intake", "a"), begun("clarify", "a"), made("clarify", "b"))
    assert state.artifacts() == {"test_suite": "t", "intake_record": "a"}


def test_advisory_issues_are_collected_and_never_block() -> None:
    state = story(begun("spec"), made("spec", "a"), reviewed("spec", "a", "security", "S-1", mode="advisory"))
    assert (state.stage("spec").blocking(), state.stage("spec").feedback) == ((), ())


def test_a_log_without_its_first_event_has_no_task() -> None:
    with pytest.raises(ValueError, match="no task_created event"):
        State().the_task()


def test_an_extended_task_goes_on_under_its_new_pipeline() -> None:
    longer = task(exit_stage="clarify")
    exited = e.PipelineExited(stage="intake", exit_type="early", deliverable="d", artifact="a")
    state = story(*passed("intake", "a"), exited, e.TaskExtended(task=longer))
    assert (state.task, state.exited, state.stage("intake").status) == (longer, None, "passed")
