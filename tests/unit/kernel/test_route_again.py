"""What reopens a stage, what skips it, and what ends a task early or late."""

from __future__ import annotations

import pytest

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Caps, RetryLimits, Stage
from thoughtforge.kernel.route import SKIPS, Escalate, Finish, Judge, Pass, Skip, Stopped, Work, next_step
from thoughtforge.kernel.stops import StopReason
from unit.kernel.making import (
    CLARIFY,
    FAILED,
    INTAKE,
    PASSED,
    SPEC,
    begun,
    judged,
    made,
    passed,
    pipeline,
    raised,
    reviewed,
    story,
    task,
)

ONE = [*passed("intake", "a", ambiguities=2)]
TWO = [*ONE, *passed("clarify", "b", "a")]
READY = [*TWO, begun("spec", "a", "b"), made("spec", "s1"), judged("spec", "s1")]
CLEAN = [reviewed("spec", "s1", "security"), reviewed("spec", "s1", "tester")]
ANSWERED = e.EscalationResolved(id="E-1", choice="answer", answers={"*": "do it so"})


def test_a_changed_artifact_reopens_what_is_below_it() -> None:
    again = [
        begun("intake", round=2),
        made("intake", "a2"),
        judged("intake", "a2"),
        e.StagePassed(stage="intake", artifact="a2"),
    ]
    done = [*READY, *CLEAN, e.StagePassed(stage="spec", artifact="s1")]
    assert next_step(story(*done, *again)) == Work(CLARIFY, 2, True, ("a2",))
    clarified = [
        begun("clarify", "a2", round=2),
        made("clarify", "b2"),
        judged("clarify", "b2"),
        e.StagePassed(stage="clarify", artifact="b2"),
    ]
    assert next_step(story(*done, *again, *clarified)) == Work(SPEC, 2, True, ("a2", "b2"))


def test_work_that_was_begun_on_other_inputs_begins_again() -> None:
    assert next_step(story(*TWO, begun("spec", "old"))) == Work(SPEC, 2, True, ("a", "b"))
    assert next_step(story(*TWO, begun("spec", "old"), made("spec", "s"))) == Work(SPEC, 2, True, ("a", "b"))


def test_the_same_artifact_made_again_reopens_nothing() -> None:
    again = [
        begun("intake", round=2),
        made("intake", "a"),
        judged("intake", "a"),
        e.StagePassed(stage="intake", artifact="a"),
    ]
    assert next_step(story(*TWO, *again)) == Work(SPEC, 1, True, ("a", "b"))


def test_a_stage_is_taken_up_when_the_reason_to_skip_it_is_gone() -> None:
    skipped = [*passed("intake", "a", ambiguities=0), e.StageSkipped(stage="clarify", reason="no_ambiguities")]
    again = passed("intake", "a2", ambiguities=3)
    assert next_step(story(*skipped, *again)) == Work(CLARIFY, 1, True, ("a2",))


def test_a_stage_is_skipped_when_its_new_inputs_leave_it_nothing_to_do() -> None:
    assert next_step(story(*TWO, *passed("intake", "a2", ambiguities=0))) == Skip(CLARIFY, "no_ambiguities")


def test_what_comes_from_outside_is_an_input_and_skips_what_would_make_it() -> None:
    outside = e.ExternalImported(contract="specification", source="f", artifact="x", verdict=PASSED)
    stages = (
        CLARIFY,
        Stage(
            name="red",
            purpose="p",
            driver="code",
            role="r",
            output_contract="test_suite",
            prerequisites=("specification",),
        ),
    )
    state = story(outside, of=task(*stages))
    assert next_step(state) == Skip(CLARIFY, "spec_provided")
    skipped = story(outside, e.StageSkipped(stage="clarify", reason="spec_provided"), of=task(*stages))
    assert next_step(skipped) == Work(stages[1], 1, True, ("x",))


@pytest.mark.parametrize(
    ("condition", "contract"), [("spec_provided", "specification"), ("tests_provided", "test_suite")]
)
def test_an_artifact_from_outside_makes_its_condition_true(condition: str, contract: str) -> None:
    outside = e.ExternalImported(contract=contract, source="f", artifact="x", verdict=PASSED)
    assert (SKIPS[condition](story()), SKIPS[condition](story(outside))) == (False, True)


def test_a_small_change_is_measured_at_green_and_skips_only_once_that_passed() -> None:
    green = passed("green", "g", trivial_change=True)
    assert [SKIPS["trivial_change"](story(*green[:end])) for end in (3, 4)] == [False, True]
    assert SKIPS["trivial_change"](story(*passed("green", "g", trivial_change=False))) is False


def test_a_stage_without_what_it_needs_says_what_is_missing() -> None:
    needy = SPEC.model_copy(update={"prerequisites": ("intake_record", "analysis")})
    assert next_step(story(of=task(needy))) == Stopped(
        StopReason.prerequisite_missing, "stage spec needs intake_record, analysis"
    )


def test_a_task_whose_last_stage_was_skipped_has_nothing_to_hand_over() -> None:
    skipped = [*passed("intake", "a", ambiguities=0), e.StageSkipped(stage="clarify", reason="no_ambiguities")]
    state = story(*skipped, of=task(INTAKE, CLARIFY))
    assert next_step(state) == Stopped(StopReason.prerequisite_missing, "stage clarify produced no artifact")


def test_an_early_exit_is_called_one() -> None:
    early = task(pipeline=pipeline(INTAKE, CLARIFY, SPEC), exit_stage="intake")
    assert next_step(story(*ONE, of=early)) == Finish(INTAKE, "a", "early")
    assert next_step(story(begun("intake"), made("intake", "a"), of=early)) == Judge(INTAKE, "a", "exit")


def test_an_advisory_review_never_blocks() -> None:
    advised = SPEC.model_copy(update={"review_mode": "advisory", "prerequisites": ()})
    shown = [begun("spec"), made("spec", "s"), judged("spec", "s")]
    given = [reviewed("spec", "s", name, "SEC-1", mode="advisory") for name in ("security", "tester")]
    assert next_step(story(*shown, *given, of=task(advised))) == Pass(advised, "s")


def test_the_rules_of_the_task_say_how_often_is_often_enough() -> None:
    strict = task(rules=RetryLimits(repairs=0, review_iterations=1))
    failed = [begun("intake"), made("intake", "a"), judged("intake", "a", FAILED)]
    assert next_step(story(*failed, of=strict)) == Escalate(INTAKE, "contract_violations")
    blocked = [*READY, reviewed("spec", "s1", "security", "SEC-1"), reviewed("spec", "s1", "tester")]
    assert next_step(story(*blocked, of=strict)) == Escalate(SPEC, "review_unresolved")


def acted(times: int) -> list[e.Event]:
    return [
        ActionTaken(stage="intake", round=1, step=n, role="r", tool="t", outcome="ok", summary="")
        for n in range(1, times + 1)
    ]


def test_too_many_steps_in_one_stage_ask_a_person_and_the_answer_counts_afresh() -> None:
    small = task(caps=Caps(stage_steps=3))
    assert next_step(story(begun("intake"), *acted(2), of=small)) == Work(INTAKE, 1, False, ())
    assert next_step(story(begun("intake"), *acted(3), of=small)) == Escalate(INTAKE, "step_limit")
    answered = [begun("intake"), *acted(3), raised("intake", "step_limit"), ANSWERED]
    assert next_step(story(*answered, of=small)) == Work(INTAKE, 1, False, ())


def test_a_longer_pipeline_goes_on_where_the_shorter_one_ended() -> None:
    shorter = task(pipeline=pipeline(INTAKE), exit_stage="intake")
    exited = e.PipelineExited(stage="intake", exit_type="default", deliverable="d", artifact="a")
    extended = e.TaskExtended(task=task())
    assert next_step(story(*ONE, exited, of=shorter)) == Stopped(StopReason.done)
    assert next_step(story(*ONE, exited, extended, of=shorter)) == Work(CLARIFY, 1, True, ("a",))
