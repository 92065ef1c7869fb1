"""What people and programs read of a task, as plain values: commands, view files, pages and servers print these.

Nothing heavy is imported: a list of tasks needs only this."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

FLAT = "overview"
"""The field of a value that holds a shorter value: as data, its fields stand beside the others."""


class NextAction(NamedTuple):
    """One thing a person can do now: why, and the command."""

    label: str
    command: str


class Cost(NamedTuple):
    """What a task used, and has reserved. `usd` adds up known prices; `usd_unknown_calls` are left out of it."""

    steps: int
    tokens: int
    input_tokens_reported: int
    output_tokens_reported: int
    calls_with_estimated_tokens: int
    usd: float
    usd_unknown_calls: int
    caps: Mapping[str, Any]
    reserved_tokens: int = 0
    reserved_usd: float = 0.0

    def told(self, between: str = ", ") -> str:
        """Steps, tokens and money in words: what was spent, and apart from it what is only reserved."""
        tokens = f"{self.tokens - self.reserved_tokens:,} tokens"
        held = f"; {self.reserved_tokens:,} tokens, ${self.reserved_usd:.4f} reserved" * bool(self.reserved_tokens)
        return between.join((f"{self.steps} steps", tokens, self.money())) + held

    def money(self) -> str:
        """The price in words; an unknown price is named, never shown as nothing."""
        more = f" + {self.usd_unknown_calls} calls of unknown price" * bool(self.usd_unknown_calls)
        return f"${max(0.0, self.usd - self.reserved_usd):.4f}{more}"


class TaskSummary(NamedTuple):
    """One task in a line or two. `phase`, `halted_in` and `halt_reason` are those of a thought."""

    task: str
    request: str
    goal: str | None
    repository: str | None
    state: str
    reason: str | None
    detail: str | None
    next_action: str | None
    stage: str | None
    progress: float
    started_at: str | None
    last_activity: str | None
    wall_seconds: float | None
    last_action: str | None
    waiting: str | None
    labels: tuple[str, ...]
    cost: Cost | None
    next_actions: tuple[NextAction, ...] = ()
    phase: str | None = None
    halted_in: str | None = None
    halt_reason: str | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> TaskSummary:
        """The value again from its data, as the index keeps it."""
        cost, strange = row["cost"], row.keys() - {*cls._fields}
        values: dict[str, Any] = {
            **({key: value for key, value in row.items() if key not in strange} if strange else row),
            "labels": tuple(row["labels"]),
            "cost": Cost(**cost) if cost else None,
            "next_actions": tuple([NextAction(**action) for action in row.get("next_actions", ())]),
        }
        return cls(**values)

    @classmethod
    def damaged(cls, task_id: str, what: str) -> TaskSummary:
        """A task whose record cannot be read."""
        action = NextAction("See the damage", f"thoughtforge verify {task_id}")
        return cls(
            task=task_id,
            request="",
            goal=None,
            repository=None,
            state="halted",
            reason="log_damaged",
            detail=what,
            next_action=f"{action.label}: {action.command}",
            stage=None,
            progress=0.0,
            started_at=None,
            last_activity=None,
            wall_seconds=None,
            last_action=None,
            waiting=None,
            labels=(),
            cost=None,
            next_actions=(action,),
        )


class StageView(NamedTuple):
    """One stage of a task."""

    status: str
    round: int
    artifact: str | None
    versions: int
    verdict: str | None
    measured: Mapping[str, Any]
    problems: tuple[str, ...]
    blocking: tuple[str, ...]
    advisory: tuple[str, ...]
    accepted_by_person: bool
    iteration: int
    skipped: str | None
    exit: tuple[Mapping[str, Any], ...]
    commit: str | None
    steps: int
    started_at: str | None
    ended_at: str | None


class TaskDetails(NamedTuple):
    """One task in full: the summary, each stage, what waits for a person."""

    overview: TaskSummary
    goal_cause: str
    base_commit: str
    pipeline: str
    exit_stage: str
    depth: Mapping[str, str]
    """`depth` (quick or full) and `reason`."""
    stages: Mapping[str, StageView]
    external_inputs: tuple[Mapping[str, Any], ...]
    escalations: tuple[Mapping[str, Any], ...]
    hints: tuple[str, ...]
    warnings: tuple[str, ...]
    branch: str | None
    refs: Mapping[str, str]
    measured: Mapping[str, Mapping[str, str]]
    exit: Mapping[str, Any] | None
    continuation: Mapping[str, Any] | None
    events: int


class LiveTask(NamedTuple):
    """A task in full, with the process that runs it now."""

    overview: TaskDetails
    runner: str | None

    @property
    def summary(self) -> TaskSummary:
        """Its line or two."""
        return self.overview.overview

    @property
    def waits(self) -> bool:
        """Whether nothing changes until somebody acts."""
        return self.summary.state in ("done", "halted", "needs_person") or self.runner is None


class TaskList(NamedTuple):
    """All tasks of a home, oldest first, and how many there are in each state."""

    home: str
    counts: Mapping[str, int]
    tasks: tuple[TaskSummary, ...]


class DeliverableFile(NamedTuple):
    """What a task ended with."""

    contract: str
    path: str
    digest: str


class RunEnd(NamedTuple):
    """How a run ended. `awaiting`: stage and version a person is asked about; `advice`: what nobody had to follow."""

    overview: TaskSummary
    exit_code: int
    deliverable: DeliverableFile | None
    escalations: tuple[Mapping[str, Any], ...]
    open_issues: tuple[str, ...]
    branch: str | None
    refs: Mapping[str, str]
    warnings: tuple[str, ...]
    folder: str
    awaiting: tuple[str, int] | None
    pull_request: str | None = None
    advice: tuple[str, ...] = ()


class EscalationView(NamedTuple):
    """An open question with its task; `overview` holds the escalation itself."""

    task: str
    status: str
    created_at: str
    overview: Mapping[str, Any]


class ThoughtStatus(NamedTuple):
    """Where a thought stands, beside what every task says of itself."""

    overview: TaskSummary
    project_name: str
    deliverable_type: str | None
    agent: str
    created_at: str
    updated_at: str
    status: str


class MessageView(NamedTuple):
    """One message of a conversation. An `excluded` one stays on record, but no agent reads it."""

    role: str
    content: str
    phase: str
    timestamp: str
    excluded: bool = False


class ConversationView(NamedTuple):
    """What a person and a task have said to each other, oldest first."""

    messages: tuple[MessageView, ...]


class HaltView(NamedTuple):
    """What a halted build or polishing leaves to a person."""

    failed: tuple[str, ...]
    """Tests, findings and refusals by their text."""
    there: tuple[str, ...]
    """What is made already."""
    shown: str
    """The plan as it is, or the files of the code."""


class ThoughtReport(NamedTuple):
    """Everything there is to tell of a thought."""

    overview: ThoughtStatus
    exit_code: int
    project: str
    title: str | None
    documents: tuple[str, ...]
    deliverable: str | None
    summary: str | None
    polished: Mapping[str, Any] | None
    questions: tuple[Mapping[str, Any], ...]
    unsaid: tuple[str, ...]
    message: str | None
    warnings: tuple[str, ...]
    plan: str | None
    """The file of the plan, once it is written."""
    halted: HaltView | None = None
    copy_to: str = ""
    """Where the person wants a copy of the plan; empty for nowhere."""


class StepView(NamedTuple):
    """One model call: what it was for, what it used and what was done with its reply."""

    step: int
    time: str
    stage: str
    round: int
    role: str
    role_version: str
    mode: str
    provider: str
    model: str
    context_tokens: int
    parts: Mapping[str, int]
    system: str
    context: str
    result: str
    reserved: Mapping[str, Any]
    reply: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    error: str | None = None
    action: Mapping[str, Any] | None = None
    cached_tokens: int | None = None
    """Of the prompt tokens, those that came from the vendor's cache; None when it did not say."""
    blocks: Mapping[str, int] = {}
    cut: Mapping[str, int] = {}
    room: int = 0


class StepText(NamedTuple):
    """One step with the exact text that was sent and what came back."""

    overview: StepView
    text: Mapping[str, str]


class CostRow(NamedTuple):
    """What the calls of one stage, role and model used."""

    stage: str
    role: str
    model: str
    calls: int
    failed_calls: int
    prompt_tokens: int
    prompt_tokens_unknown_calls: int
    completion_tokens: int
    completion_tokens_unknown_calls: int
    usd: float
    usd_unknown_calls: int
    cached_tokens: int = 0
    cached_tokens_unknown_calls: int = 0


class CostReport(NamedTuple):
    """What a task used, by stage, role and model, and in all."""

    task: str
    rows: tuple[CostRow, ...]
    total: Cost


class CutBlock(NamedTuple):
    """A block that was not shown whole: tokens shown, of how many."""

    shown: int
    whole: int


class CallContext(NamedTuple):
    """What one call was shown: its parts and blocks with their tokens, what was cut, and the room that was left."""

    step: int
    stage: str
    role: str
    mode: str
    tokens: int
    room: int
    left: int | None
    """None when nobody counted the room."""
    parts: Mapping[str, int]
    blocks: Mapping[str, int]
    cut: Mapping[str, CutBlock]


class StageContext(NamedTuple):
    """The calls of one stage together."""

    stage: str
    calls: int
    tokens: int
    cut_calls: int
    largest: int
    left: int
    """Tokens of room that were not used, in all calls whose room was counted."""


class ContextReport(NamedTuple):
    """What every call of a task was shown, and the totals by stage."""

    task: str
    calls: tuple[CallContext, ...]
    stages: tuple[StageContext, ...]


def as_data(value: Any) -> Any:
    """A value as JSON data: the one function every command, file and server uses."""
    if isinstance(value, Mapping):
        return {str(key): as_data(item) for key, item in value.items()}
    fields = getattr(value, "_asdict", None)
    if fields is not None:
        return _flat(fields())
    if isinstance(value, (list, tuple, set, frozenset)):
        return [as_data(item) for item in value]
    dump = getattr(value, "model_dump", None)
    if dump is not None:
        return dump(mode="json")
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    short = as_data(fields[FLAT]) if FLAT in fields else {}
    return {**short, **{key: as_data(item) for key, item in fields.items() if key != FLAT}}
