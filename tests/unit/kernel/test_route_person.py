"""Where a person is asked, and what each of their decisions leads to."""

from __future__ import annotations

import pytest

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Feedback, Pauses, Task
from thoughtforge.kernel.route import Finish, Pass, Present, Review, Stopped, Work, next_step
from thoughtforge.kernel.stops import StopReason
from unit.kernel.making import INTAKE, SPEC, begun, decided, judged, made, passed, reviewed, story, task

ASKING = task(INTAKE, SPEC, pauses=Pauses(iterate=True))
DONE = [*passed("intake", "a")]


def version(number: int, *, iteration: int = 1) -> list[e.Event]:
    """A version of spec that reviewers are content with."""
    name = f"s{number}"
    reviews = [reviewed("spec", name, who, iteration=iteration) for who in SPEC.reviewers]
    return [begun("spec", "a", round=number), made("spec", name), judged("spec", name), *reviews]


def shown(number: int) -> e.IterationPresented:
    return e.IterationPresented(stage="spec", iteration=number, artifact=f"s{number}")


ONCE = [*DONE, *version(1), shown(1)]


@pytest.mark.parametrize(
    ("pauses", "asked"),
    [
        (Pauses(), []),
        (Pauses(supervised=True), ["intake", "spec"]),
        (Pauses(iterate=True), ["spec"]),
        (Pauses(stages=("intake",)), ["intake"]),
        (Pauses(actions=True), []),
    ],
    ids=lambda value: str(value),
)
def test_a_person_is_asked_only_where_they_wanted_to_be(pauses: Pauses, asked: list[str]) -> None:
    of = task(INTAKE, SPEC, pauses=pauses)
    steps = [
        next_step(story(begun("intake"), made("intake", "a"), judged("intake", "a"), of=of)),
        next_step(story(*DONE, *version(1), of=of)),
    ]
    assert [step.stage.name for step in steps if isinstance(step, Present)] == asked
    assert all(isinstance(step, Present | Pass) for step in steps)


def test_a_version_is_shown_and_then_waited_for() -> None:
    assert next_step(story(*DONE, *version(1), of=ASKING)) == Present(SPEC, "s1", 1)
    state = story(*ONCE, of=ASKING)
    assert (next_step(state), state.awaiting) == (Stopped(StopReason.approval), ("spec", 1))


def test_approve_passes_the_stage() -> None:
    assert next_step(story(*ONCE, decided("spec", "approve"), of=ASKING)) == Pass(SPEC, "s1")


def test_exit_ends_with_the_version_that_was_shown() -> None:
    events = [*ONCE, decided("spec", "exit"), e.StagePassed(stage="spec", artifact="s1")]
    assert next_step(story(*events, of=ASKING)) == Finish(SPEC, "s1", "user")


def test_exit_ends_in_the_middle_of_a_pipeline_too() -> None:
    watched: Task = task(INTAKE, SPEC, pauses=Pauses(supervised=True))
    seen = [begun("intake"), made("intake", "a"), judged("intake", "a")]
    presented = e.IterationPresented(stage="intake", iteration=1, artifact="a")
    events = [*seen, presented, decided("intake", "exit"), e.StagePassed(stage="intake", artifact="a")]
    assert next_step(story(*events, of=watched)) == Finish(INTAKE, "a", "user")


def test_extend_passes_the_stage_like_an_approval() -> None:
    assert next_step(story(*ONCE, decided("spec", "extend", extend_to="red"), of=ASKING)) == Pass(SPEC, "s1")


def test_revise_begins_a_round_with_what_the_person_said() -> None:
    said = Feedback(kind="person", iteration=1, items=("Name the flag",))
    state = story(*ONCE, decided("spec", "revise", feedback=said), of=ASKING)
    assert (next_step(state), state.stage("spec").feedback) == (Work(SPEC, 2, True, ("a",)), (said,))


def test_a_revision_a_person_asked_for_has_all_its_reviews_again() -> None:
    tried = [*DONE, *version(1)[:3], reviewed("spec", "s1", "security", "SEC-1"), reviewed("spec", "s1", "tester")]
    twice = [*tried, *version(2, iteration=2), shown(1), decided("spec", "revise")]
    again = [*twice, begun("spec", "a", round=3), made("spec", "s3"), judged("spec", "s3")]
    assert next_step(story(*again, of=ASKING)) == Review(SPEC, "s3", "security", 1)


def test_the_revision_is_shown_as_the_next_version() -> None:
    events = [*ONCE, decided("spec", "revise"), *version(2)]
    assert next_step(story(*events, of=ASKING)) == Present(SPEC, "s2", 2)


def test_reject_goes_back_to_the_stage_before_with_the_reason() -> None:
    said = Feedback(kind="person", iteration=1, items=("Wrong question",))
    state = story(*ONCE, decided("spec", "reject", feedback=said), of=ASKING)
    assert (next_step(state), state.stage("intake").feedback) == (Work(INTAKE, 2, True, ()), (said,))


def test_a_rejected_stage_is_done_again_even_when_the_one_before_says_the_same() -> None:
    same = [begun("intake", round=2), made("intake", "a"), judged("intake", "a")]
    events = [*ONCE, decided("spec", "reject"), *same, e.StagePassed(stage="intake", artifact="a")]
    assert next_step(story(*events, of=ASKING)) == Work(SPEC, 2, True, ("a",))


def test_the_first_stage_is_rejected_to_itself() -> None:
    watched = task(INTAKE, SPEC, pauses=Pauses(supervised=True))
    presented = e.IterationPresented(stage="intake", iteration=1, artifact="a")
    events = [begun("intake"), made("intake", "a"), judged("intake", "a"), presented, decided("intake", "reject")]
    assert next_step(story(*events, of=watched)) == Work(INTAKE, 2, True, ())
