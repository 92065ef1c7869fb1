"""Which rest is told to people, and as what."""

from __future__ import annotations

import pytest

from thoughtforge.integrations.notice import Notice
from thoughtforge.kernel import events as e
from thoughtforge.kernel.stops import StopReason, reason_named
from thoughtforge.service.notify import event_type, notice_of
from unit.kernel.making import passed, raised, story

EVENTS = {
    "done": "convergence_success",
    "question": "human_needed",
    "approval": "human_needed",
    "paused": "human_needed",
    "brain_dump": "human_needed",
    "agent_needed": "human_needed",
    "guard": "guard_triggered",
    "fix_rejected": "guard_triggered",
    "budget_usd": "guard_triggered",
    "budget_tokens": "guard_triggered",
    "budget_steps": "guard_triggered",
    "budget_wall": "guard_triggered",
    "configuration": "error",
    "provider_failed": "error",
    "check_broken": "error",
    "file_system_error": "error",
    "bug": "error",
}


@pytest.mark.parametrize(("reason", "word"), EVENTS.items())
def test_a_reason_is_told_by_one_of_the_five_words(reason: str, word: str) -> None:
    assert event_type(reason_named(reason)) == word


def test_a_question_is_told_with_its_words_and_the_way_to_answer() -> None:
    assert notice_of(story(raised("intake", summary="Which colour?"))) == Notice(
        project_id="20260101-abcd-a-task",
        project_name="Add a flag",
        phase="intake",
        event_type="human_needed",
        summary="E-1: Which colour? Answer: thoughtforge resolve 20260101-abcd-a-task:E-1 ANSWER; "
        "list all questions: thoughtforge escalations list",
    )


def test_a_halt_is_told_with_its_cause() -> None:
    stopped = e.RunnerStopped(reason=StopReason.provider_failed, detail="the model is away.")
    assert notice_of(story(*passed("intake", "a"), stopped)) == Notice(
        project_id="20260101-abcd-a-task",
        project_name="Add a flag",
        phase="clarify",
        event_type="error",
        summary="the model is away. Check the provider: thoughtforge doctor; "
        "then: thoughtforge continue 20260101-abcd-a-task",
    )


@pytest.mark.parametrize("reason", ["paused", "interrupted", "aborted"])
def test_what_a_person_did_is_not_told_to_them(reason: str) -> None:
    assert notice_of(story(e.RunnerStopped(reason=reason_named(reason)))) is None


def test_a_task_that_goes_on_is_not_told() -> None:
    assert notice_of(story()) is None
