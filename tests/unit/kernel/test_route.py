"""next_step: which step follows from which events. The whole routing policy, row by row."""

from __future__ import annotations

import pytest

from thoughtforge.kernel import events as e
from thoughtforge.kernel.route import Escalate, Finish, Judge, Pass, Review, Skip, Step, Stopped, Work, next_step
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import AbortAsked, PauseAsked
from unit.kernel.making import (
    BROKEN,
    CLARIFY,
    FAILED,
    INTAKE,
    SPEC,
    begun,
    judged,
    made,
    passed,
    raised,
    reviewed,
    story,
)

ONE = [*passed("intake", "a", ambiguities=2)]
TWO = [*ONE, *passed("clarify", "b", "a")]
READY = [*TWO, begun("spec", "a", "b"), made("spec", "s1"), judged("spec", "s1")]
CLEAN = [reviewed("spec", "s1", "security"), reviewed("spec", "s1", "tester")]
ANSWERED = e.EscalationResolved(id="E-1", choice="answer", answers={"*": "do it so"})


def repaired(times: int) -> list[e.Event]:
    """Intake has failed its contract so often running."""
    rounds = (
        [begun("intake", round=n), made("intake", f"a{n}"), judged("intake", f"a{n}", FAILED)]
        for n in range(1, times + 1)
    )
    return [event for one in rounds for event in one]


def revised(times: int) -> list[e.Event]:
    """Spec was reviewed so often, each time with one blocking issue."""
    events: list[e.Event] = [*TWO]
    for n in range(1, times + 1):
        events += [begun("spec", "a", "b", round=n), made("spec", f"s{n}"), judged("spec", f"s{n}")]
        events += [
            reviewed("spec", f"s{n}", "security", "SEC-1", iteration=n),
            reviewed("spec", f"s{n}", "tester", iteration=n),
        ]
    return events


ROUTE: list[tuple[str, list[e.Event], Step]] = [
    ("a new task begins its first stage", [], Work(INTAKE, 1, True, ())),
    ("a stage that was begun goes on", [begun("intake")], Work(INTAKE, 1, False, ())),
    ("an artifact goes to the gate", [begun("intake"), made("intake", "a")], Judge(INTAKE, "a", "clarify")),
    ("the last artifact goes to the exit", READY[:-1], Judge(SPEC, "s1", "exit")),
    (
        "an artifact without reviewers passes",
        [begun("intake"), made("intake", "a"), judged("intake", "a")],
        Pass(INTAKE, "a"),
    ),
    ("nothing unclear skips the questions", [*passed("intake", "a", ambiguities=0)], Skip(CLARIFY, "no_ambiguities")),
    ("something unclear does not", ONE, Work(CLARIFY, 1, True, ("a",))),
    ("a figure the gate did not measure skips nothing", [*passed("intake", "a")], Work(CLARIFY, 1, True, ("a",))),
    (
        "what is skipped hands nothing down",
        [*passed("intake", "a", ambiguities=0), e.StageSkipped(stage="clarify", reason="no_ambiguities")],
        Work(SPEC, 1, True, ("a",)),
    ),
    ("a failed contract goes back", repaired(1), Work(INTAKE, 2, True, ())),
    ("a second repair is tried", repaired(2), Work(INTAKE, 3, True, ())),
    ("a third failure asks a person", repaired(3), Escalate(INTAKE, "contract_violations")),
    (
        "while the question is open nothing is done",
        [*repaired(3), raised("intake", "contract_violations")],
        Stopped(StopReason.question),
    ),
    (
        "an answer begins a new round",
        [*repaired(3), raised("intake", "contract_violations"), ANSWERED],
        Work(INTAKE, 4, True, ()),
    ),
    (
        "a broken check is neither pass nor fail",
        [begun("intake"), made("intake", "a"), judged("intake", "a", BROKEN)],
        Stopped(StopReason.check_broken, "the tool is not there"),
    ),
    ("a passed gate goes to the first reviewer", READY, Review(SPEC, "s1", "security", 1)),
    ("then to the next in the same iteration", [*READY, CLEAN[0]], Review(SPEC, "s1", "tester", 1)),
    ("all reviewers content: it passes", [*READY, *CLEAN], Pass(SPEC, "s1")),
    (
        "a blocking issue waits for the other reviewers",
        [*READY, reviewed("spec", "s1", "security", "SEC-1")],
        Review(SPEC, "s1", "tester", 1),
    ),
    ("a blocking issue goes back", revised(1), Work(SPEC, 2, True, ("a", "b"))),
    (
        "the revision is reviewed in the next iteration",
        [*revised(1), begun("spec", "a", "b", round=2), made("spec", "s2"), judged("spec", "s2")],
        Review(SPEC, "s2", "security", 2),
    ),
    ("a third iteration is tried", revised(2), Work(SPEC, 3, True, ("a", "b"))),
    ("then a person is asked", revised(3), Escalate(SPEC, "review_unresolved")),
    (
        "an answer reopens the review",
        [*revised(3), raised("spec", "review_unresolved"), ANSWERED],
        Work(SPEC, 4, True, ("a", "b")),
    ),
    (
        "a person may accept what is left",
        [*revised(3), raised("spec", "review_unresolved"), e.EscalationResolved(id="E-1", choice="accept")],
        Pass(SPEC, "s3"),
    ),
    (
        "a question of the agent itself",
        [begun("intake"), raised("intake", "agent_question")],
        Stopped(StopReason.question),
    ),
    (
        "its answer goes on in the same round",
        [begun("intake"), raised("intake", "agent_question"), ANSWERED],
        Work(INTAKE, 1, False, ()),
    ),
    (
        "the last stage passed: the end",
        [*READY, *CLEAN, e.StagePassed(stage="spec", artifact="s1")],
        Finish(SPEC, "s1", "default"),
    ),
    (
        "a finished task rests",
        [*READY, e.PipelineExited(stage="spec", exit_type="default", deliverable="d", artifact="s1")],
        Stopped(StopReason.done),
    ),
    ("a pause rests", [begun("intake"), PauseAsked()], Stopped(StopReason.paused)),
    ("an abort rests", [begun("intake"), AbortAsked()], Stopped(StopReason.aborted)),
    (
        "a failed runner rests with its detail",
        [begun("intake"), e.RunnerStopped(reason=StopReason.provider_failed, detail="429")],
        Stopped(StopReason.provider_failed, "429"),
    ),
]


@pytest.mark.parametrize(("events", "step"), [row[1:] for row in ROUTE], ids=[row[0] for row in ROUTE])
def test_the_next_step_follows_from_the_events(events: list[e.Event], step: Step) -> None:
    assert next_step(story(*events)) == step
