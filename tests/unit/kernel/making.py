"""A small pipeline and the events of a task on it, for tests that need a state of a certain kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from thoughtforge.calls.events import CallEnded, CallStarted
from thoughtforge.calls.port import Reservation, Usage
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import EMPTY, fold
from thoughtforge.kernel.model import Escalation, Issue, Pipeline, PipelineExit, Problem, Stage, Task, Verdict
from thoughtforge.kernel.state import Projection, State
from thoughtforge.rooms import load_rooms

load_rooms()
T = TypeVar("T")

INTAKE = Stage(name="intake", purpose="p", driver="document", role="analyst", output_contract="intake_record")
CLARIFY = Stage(
    name="clarify",
    purpose="p",
    driver="clarify",
    role="analyst",
    output_contract="clarification",
    skip_if=("no_ambiguities", "spec_provided"),
)
SPEC = Stage(
    name="spec",
    purpose="p",
    driver="document",
    role="architect",
    output_contract="specification",
    prerequisites=("intake_record",),
    reviewers=("security", "tester"),
    iterable=True,
)
STAGES = (INTAKE, CLARIFY, SPEC)
PASSED = Verdict(outcome="pass")
FAILED = Verdict(outcome="fail", problems=(Problem(where="title", what="is missing"),))
BROKEN = Verdict(outcome="broken", problems=(Problem(where="", what="the tool is not there"),))


def pipeline(*stages: Stage, exit_stage: str = "") -> Pipeline:
    """These stages in order; it ends with the last unless told otherwise."""
    end = exit_stage or stages[-1].name
    return Pipeline(
        name="small",
        description="d",
        goal_type="g",
        stages=stages,
        exit=PipelineExit(stage=end, deliverable="specification"),
    )


def task(*stages: Stage, **changes: Any) -> Task:
    """A task on a pipeline of these stages."""
    stages = stages or STAGES
    fields = {
        "id": "20260101-abcd-a-task",
        "request": "Add a flag",
        "request_digest": "r",
        "goal": "g",
        "goal_cause": "c",
        "pipeline": pipeline(*stages),
        "exit_stage": stages[-1].name,
        "repository": "/repository",
        "base_commit": "c0ffee",
        "created_at": at(0),
        **changes,
    }
    return Task.model_validate(fields)


def at(seconds: float) -> str:
    """A moment of the day the tests live in."""
    whole = int(seconds)
    return f"2026-01-01T{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}.{int(seconds % 1 * 1e6):06}+00:00"


def records(events: Iterable[e.Event | e.Unknown]) -> list[e.Record]:
    """The events in order, a second apart."""
    return [e.Record(seq, at(seq), event) for seq, event in enumerate(events, start=1)]


def story(*events: e.Event | e.Unknown, of: Task | None = None) -> State:
    """The state after a task was created and these events happened, a second apart."""
    return fold(EMPTY, records([e.TaskCreated(task=of or task(), task_file="f"), *events]))


def folded(projection: Projection[T], *events: e.Event) -> T:
    """What these events add up to in one projection, a second apart."""
    value = projection.empty
    for record in records(events):
        value = projection.apply(value, record)
    return value


def begun(stage: str, *inputs: str, round: int = 1) -> e.StageStarted:
    return e.StageStarted(stage=stage, round=round, role="analyst", inputs=inputs)


def made(stage: str, artifact: str, *, round: int = 1) -> e.ArtifactMade:
    return e.ArtifactMade(stage=stage, round=round, contract="any", artifact=artifact)


def judged(stage: str, artifact: str, verdict: Verdict = PASSED) -> e.GateDecided:
    return e.GateDecided(stage=stage, round=1, to="next", artifact=artifact, verdict=verdict)


def passed(stage: str, artifact: str, *inputs: str, **measured: Any) -> list[e.Event]:
    """All events of a stage that went well."""
    verdict = Verdict(outcome="pass", measured=measured)
    return [
        begun(stage, *inputs),
        made(stage, artifact),
        judged(stage, artifact, verdict),
        e.StagePassed(stage=stage, artifact=artifact),
    ]


def reviewed(
    stage: str, artifact: str, reviewer: str, *blocking: str, iteration: int = 1, mode: str = "blocking"
) -> Any:
    """A review that names these blocking issues."""
    issues = tuple(Issue(id=name, severity="high", description="d") for name in blocking)
    return e.ReviewGiven(
        stage=stage,
        round=1,
        iteration=iteration,
        reviewer=reviewer,
        mode=mode,  # type: ignore[arg-type]
        artifact=artifact,
        review="review",
        blocking=issues,
    )


def decided(stage: str, decision: str, **fields: Any) -> e.DecisionMade:
    return e.DecisionMade.model_validate({"stage": stage, "iteration": 1, "decision": decision, **fields})


def raised(stage: str, reason: str = "ambiguity", **fields: Any) -> e.EscalationRaised:
    question = Escalation.model_validate({"id": "E-1", "stage": stage, "reason": reason, "summary": "s", **fields})
    return e.EscalationRaised(escalation=question)


def call(number: int, *, tokens: int = 100, usd: float | None = 1.0, stage: str = "intake") -> CallStarted:
    """A call that reserves so much; its context is estimated at 40 tokens."""
    return CallStarted(
        call=f"C-{number}",
        key=f"key-{number}",
        stage=stage,
        round=1,
        step=number,
        role="analyst",
        role_version="1.0",
        provider="script",
        model="m",
        system="s",
        context="c",
        context_digest="d",
        context_tokens=40,
        reserved=Reservation(tokens=tokens, usd=usd),
    )


def ended(number: int, *, tokens: tuple[int | None, int | None] = (50, 20), usd: float | None = 0.5) -> CallEnded:
    """Its end; the reply is estimated at 7 tokens."""
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    return CallEnded(
        call=f"C-{number}", reply=f"reply-{number}", model="m", usage=usage, usd=usd, reply_tokens=7, seconds=0.5
    )


RUNNER = e.RunnerStarted(pid=1, host="h", program="p")
