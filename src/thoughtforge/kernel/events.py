"""Every fact that can be on record: one frozen class each, one function per old version."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from thoughtforge.kernel.model import (
    Caps,
    Criterion,
    Digest,
    Escalation,
    Feedback,
    Issue,
    Reservation,
    Task,
    Usage,
    Verdict,
)
from thoughtforge.kernel.model import Event as Event
from thoughtforge.kernel.stops import StopReason
from thoughtforge.kernel.thought_events import ActionAsked as ActionAsked
from thoughtforge.kernel.thought_events import PolishFixed as PolishFixed
from thoughtforge.kernel.thought_events import PolishReviewed as PolishReviewed
from thoughtforge.kernel.thought_events import Said as Said


class TaskCreated(Event):
    type: Literal["task_created"] = "task_created"
    task: Task
    task_file: Digest
    """Digest of task.yaml, so that a change to it shows."""


class ExternalImported(Event):
    type: Literal["external_imported"] = "external_imported"
    contract: str
    source: str
    artifact: Digest
    verdict: Verdict


class RunnerStarted(Event):
    type: Literal["runner_started"] = "runner_started"
    pid: int
    host: str
    program: str


class RunnerStopped(Event):
    type: Literal["runner_stopped"] = "runner_stopped"
    reason: StopReason
    detail: str = ""


class StageStarted(Event):
    type: Literal["stage_started"] = "stage_started"
    stage: str
    round: int
    role: str
    inputs: tuple[Digest, ...] = ()
    """The accepted artifacts it works from; a change to them reopens the stage."""


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


class CallStarted(Event):
    type: Literal["call_started"] = "call_started"
    call: str
    key: str
    """The place in the work this call belongs to; a finished call with the same key is used, not repeated."""
    stage: str
    round: int
    step: int
    role: str
    role_version: str
    mode: Literal["work", "review"] = "work"
    provider: str
    model: str
    system: Digest
    context: Digest
    context_digest: Digest
    """Digest of system and context without what differs from task to task: the key for replay."""
    context_tokens: int
    parts: dict[str, int] = Field(default_factory=dict)
    prompts: dict[str, Digest] = Field(default_factory=dict)
    reserved: Reservation


class CallEnded(Event):
    type: Literal["call_ended"] = "call_ended"
    call: str
    reply: Digest
    model: str
    usage: Usage
    usd: float | None = None
    reply_tokens: int
    """Estimated size of the reply; it counts where the provider reports no usage."""
    seconds: float


class CallFailed(Event):
    type: Literal["call_failed"] = "call_failed"
    call: str
    kind: str
    error: str
    usage: Usage | None = None
    """What the provider said the failed call used; unknown counts at the reservation."""
    usd: float | None = None


class ActionTaken(Event):
    type: Literal["action_taken"] = "action_taken"
    version: int = 2
    stage: str
    round: int
    step: int
    role: str
    tool: str
    params: dict[str, Any] = Field(default_factory=dict)
    outcome: Literal["ok", "error", "refused", "denied"]
    summary: str
    output: Digest | None = None
    note: str = ""
    tree: str = ""
    """The workspace after it, as a git tree; empty where there is none."""


class WorkspaceMade(Event):
    type: Literal["workspace_made"] = "workspace_made"
    branch: str
    notes: tuple[str, ...] = ()
    """What is unusual about the repository, in sentences."""


class Measured(Event):
    """What the engine itself found out; an agent's word is never in it."""

    type: Literal["measured"] = "measured"
    stage: str = ""
    """Empty for what holds for the whole task: environment and baseline."""
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


class CommitMade(Event):
    type: Literal["commit_made"] = "commit_made"
    stage: str
    commit: str
    tree: str
    raw: Digest | None = None
    """Blob of the commit object itself, so that the same commit can be made again; None in older logs."""


class RefWritten(Event):
    """One ref of the person's repository was set; the only way anything gets into it."""

    type: Literal["ref_written"] = "ref_written"
    ref: str
    commit: str
    why: Literal["delivered", "salvaged", "applied", "discarded"]


class EditPlanned(Event):
    type: Literal["edit_planned"] = "edit_planned"
    stage: str
    step: int
    path: str
    before: Digest | None
    """None when the file does not exist yet."""
    after: Digest | None
    """Blob of the new content; None when the file goes away."""
    mode: Literal["", "100644", "100755"] = ""
    """As git names it; empty when the file goes away, and in older logs, where it stays what it was."""


class DraftMade(Event):
    type: Literal["draft_made"] = "draft_made"
    stage: str
    round: int
    draft: Digest


class ArtifactMade(Event):
    type: Literal["artifact_made"] = "artifact_made"
    stage: str
    round: int
    contract: str
    artifact: Digest
    answers: tuple[str, ...] = ()
    """The ids of the issues this revision answers."""


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
    """Question id → answer; `*` answers what has no answer of its own."""
    by: str = ""


class HintGiven(Event):
    type: Literal["hint_given"] = "hint_given"
    text: str
    by: str = ""


class PauseAsked(Event):
    type: Literal["pause_asked"] = "pause_asked"
    by: str = ""


class AbortAsked(Event):
    type: Literal["abort_asked"] = "abort_asked"
    by: str = ""


class CapsChanged(Event):
    type: Literal["caps_changed"] = "caps_changed"
    caps: Caps


class TaskExtended(Event):
    type: Literal["task_extended"] = "task_extended"
    task: Task
    """The task with the pipeline that now holds; what was passed stays passed."""


class TaskMoved(Event):
    type: Literal["task_moved"] = "task_moved"
    before: str
    repository: str
    """Where the task's repository is from now on, because a person said so."""
    by: str = ""


class WarningGiven(Event):
    type: Literal["warning_given"] = "warning_given"
    version: int = 2
    text: str
    code: str = ""
    """A short word for scripts that stays when the text changes; empty in logs of version 1."""


class LossAccepted(Event):
    type: Literal["loss_accepted"] = "loss_accepted"
    lost_after: int
    """The last sequence number that was kept."""
    kept_aside: str
    by: str = ""


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
            raise ValueError(f"two events are called {name}")


def newest(kind: str) -> int:
    """The current version of an event type."""
    return int(KINDS[kind].model_fields["version"].default)


def union() -> TypeAdapter[Event]:
    """All registered events as one tagged union, for schemas and documentation."""
    every: Any = reduce(or_, KINDS.values())
    return TypeAdapter(Annotated[every, Field(discriminator="type")])


register(*Event.__subclasses__())

RAISE: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("warning_given", 1): lambda data: {**data, "code": ""},
    ("action_taken", 1): lambda data: {**data, "tree": ""},
}
"""(type, version) → the same fact one version newer. Kept for ever: old logs must always load."""


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


def read_event(data: dict[str, Any]) -> Event | Unknown:
    """The event in `data`, raised to its newest version."""
    kind, version = str(data.get("type")), int(data.get("version", 1))
    while (kind, version) in RAISE:
        version += 1
        data = {**RAISE[kind, version - 1](data), "version": version}
    if kind not in KINDS or version != newest(kind):
        return Unknown(kind, version, data)
    try:
        return KINDS[kind].model_validate(data)
    except ValidationError:
        return Unknown(kind, version, data)
