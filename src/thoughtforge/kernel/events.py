"""The facts of every task: one frozen class each. Rooms above the kernel register facts of their own."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from thoughtforge.kernel.model import Criterion, Digest, Escalation, Feedback, Issue, Task, Verdict
from thoughtforge.kernel.model import Event as Event
from thoughtforge.kernel.stops import STOPS, reason_named

Reason = Annotated[str, AfterValidator(reason_named), Field(json_schema_extra=lambda s: s.update(enum=[*STOPS]))]
"""A registered stop reason; with any other one the event is unknown."""


class TaskCreated(Event):
    type: Literal["task_created"] = "task_created"
    task: Task
    task_file: Digest
    """Digest of task.yaml, which reveals a change to the file."""


class ExternalImported(Event):
    type: Literal["external_imported"] = "external_imported"
    contract: str
    source: str
    artifact: Digest
    verdict: Verdict


class RunnerStarted(Event):
    type: Literal["runner_started"] = "runner_started"
    at_rest = True
    pid: int
    host: str
    program: str


class RunnerStopped(Event):
    type: Literal["runner_stopped"] = "runner_stopped"
    reason: Reason
    detail: str = ""


class StageStarted(Event):
    type: Literal["stage_started"] = "stage_started"
    stage: str
    round: int
    role: str
    inputs: tuple[Digest, ...] = ()
    """The accepted artifacts that the stage uses; a change to them reopens the stage."""


class StageSkipped(Event):
    type: Literal["stage_skipped"] = "stage_skipped"
    stage: str
    reason: str


class StagePassed(Event):
    type: Literal["stage_passed"] = "stage_passed"
    stage: str
    artifact: Digest
    accepted_by_person: bool = False
    open_issues: tuple[str, ...] = ()


class Measured(Event):
    """What the engine itself found out; an agent's word is never in it."""

    type: Literal["measured"] = "measured"
    stage: str = ""
    """Empty for facts of the whole task: environment and baseline."""
    round: int = 0
    step: int = 0
    what: str
    """environment, baseline, edit, exit, held_back_cases, delivery, turn …"""
    outcome: Literal["pass", "fail", "broken"]
    summary: str
    criteria: tuple[Criterion, ...] = ()
    facts: dict[str, bool | int | float | str] = Field(default_factory=dict)
    tree: str = ""
    report: Digest | None = None


class ArtifactMade(Event):
    type: Literal["artifact_made"] = "artifact_made"
    stage: str
    round: int
    contract: str
    artifact: Digest
    answers: tuple[str, ...] = ()
    """The ids of the issues that this revision addresses."""


class GateDecided(Event):
    type: Literal["gate_decided"] = "gate_decided"
    stage: str
    round: int
    to: str
    """The stage the artifact goes to; `exit` at the end."""
    artifact: Digest
    verdict: Verdict


class ReviewGiven(Event):
    type: Literal["review_given"] = "review_given"
    stage: str
    round: int
    iteration: int
    reviewer: str
    mode: Literal["blocking", "advisory"]
    artifact: Digest
    review: Digest
    blocking: tuple[Issue, ...] = ()
    advisory: tuple[Issue, ...] = ()


class IterationPresented(Event):
    type: Literal["iteration_presented"] = "iteration_presented"
    stage: str
    iteration: int
    artifact: Digest


class DecisionMade(Event):
    type: Literal["decision_made"] = "decision_made"
    stage: str
    iteration: int
    decision: Literal["approve", "revise", "reject", "exit", "extend"]
    feedback: Feedback | None = None
    extend_to: str = ""
    by: str = ""


class IterationStarted(Event):
    type: Literal["iteration_started"] = "iteration_started"
    stage: str
    iteration: int


class EscalationRaised(Event):
    type: Literal["escalation_raised"] = "escalation_raised"
    escalation: Escalation


class EscalationResolved(Event):
    type: Literal["escalation_resolved"] = "escalation_resolved"
    id: str
    choice: str = "answer"
    answers: dict[str, str] = Field(default_factory=dict)
    """Question id → answer; `*` answers every other question."""
    by: str = ""


class TaskExtended(Event):
    type: Literal["task_extended"] = "task_extended"
    at_rest = True
    task: Task
    """The task with its new pipeline; passed stages stay passed."""


class WarningGiven(Event):
    type: Literal["warning_given"] = "warning_given"
    at_rest = True
    version: int = 2
    text: str
    code: str = ""
    """A short word for scripts; it stays the same when the text changes. Empty in logs of version 1."""


class PipelineExited(Event):
    type: Literal["pipeline_exited"] = "pipeline_exited"
    stage: str
    exit_type: Literal["default", "early", "user"]
    deliverable: str
    artifact: Digest


KINDS: dict[str, type[Event]] = {}
"""Type → its class. Rooms above the kernel register theirs when they are imported."""


def register(*classes: type[Event]) -> None:
    """Let logs hold these events."""
    for cls in classes:
        name = str(cls.model_fields["type"].default)
        if KINDS.setdefault(name, cls) is not cls:
            raise ValueError(f"two events have the name {name}")


register(*Event.__subclasses__())


class Unknown(NamedTuple):
    """An event this program cannot read, so a newer one wrote it: shown and verified, never run."""

    type: str
    version: int
    data: dict[str, Any]


class Record(NamedTuple):
    """An event with its place in the log."""

    seq: int
    time: str
    event: Event | Unknown
