"""What the log adds up to: the state of a task, whose values `fold.py` changes, and every other projection of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, TypeVar, cast

from thoughtforge.kernel.events import Event, Measured, PipelineExited, Record, ReviewGiven, Unknown
from thoughtforge.kernel.model import Caps, Digest, Escalation, Feedback, Task, Verdict
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus

T = TypeVar("T")
NOTHING: Mapping[str, Any] = MappingProxyType({})


class HumanAnswer(NamedTuple):
    """A person's answer to a question."""

    text: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class StageState:
    """One stage so far."""

    status: str = "pending"
    """pending, working, made, passed or skipped."""
    round: int = 0
    inputs: tuple[Digest, ...] = ()
    artifact: Digest | None = None
    """The newest artifact, judged or not."""
    versions: tuple[Digest, ...] = ()
    verdict: Verdict | None = None
    """The gate's word on `artifact`."""
    repairs: int = 0
    """How often running the artifact has failed its contract."""
    reviews: tuple[ReviewGiven, ...] = ()
    """The reviews of `artifact`."""
    review_iteration: int = 0
    advisory: tuple[str, ...] = ()
    """Advisory issues of all reviews, one line each."""
    iteration: int = 0
    """How often a version was shown to the person."""
    presented: bool = False
    approved: bool = False
    overridden: bool = False
    """A person accepted the artifact with its open issues."""
    rework: bool = False
    """A person sent it back."""
    feedback: tuple[Feedback, ...] = ()
    answers: Mapping[str, HumanAnswer] = field(default_factory=lambda: NOTHING)
    """A person's answers, by question id."""
    skipped: str = ""
    draft: Digest | None = None
    replies: Mapping[str, Digest] = field(default_factory=lambda: NOTHING)
    """Finished calls whose reply has not been used yet, by key."""
    steps: int = 0
    """Actions since the stage began or a person last helped."""
    total_steps: int = 0
    measured: Mapping[str, Measured] = field(default_factory=lambda: NOTHING)
    """The newest measurement of each kind."""
    commit: str = ""
    """What the stage committed."""
    started_at: str = ""
    ended_at: str = ""

    def blocking(self) -> tuple[str, ...]:
        """Ids of open blocking issues; an advisory review never blocks."""
        return tuple(issue.id for review in self.reviews if review.mode == "blocking" for issue in review.blocking)


@dataclass(frozen=True, slots=True)
class TaskUsage:
    """What the task has used so far. Calls without an end count at what was reserved for them."""

    steps: int = 0
    tokens: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    estimated_calls: int = 0
    """Calls whose tokens the provider did not report."""
    usd: float = 0.0
    unknown_usd_calls: int = 0
    """Calls whose price is not known: they are not zero."""
    wall_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class State:
    """A task as its log tells it."""

    seq: int = 0
    time: str = ""
    task: Task | None = None
    caps: Caps = Caps()
    stages: Mapping[str, StageState] = field(default_factory=lambda: NOTHING)
    externals: Mapping[str, Digest] = field(default_factory=lambda: NOTHING)
    escalations: Mapping[str, Escalation] = field(default_factory=lambda: NOTHING)
    raised: int = 0
    """How many escalations there were; numbers the next."""
    awaiting: tuple[str, int] | None = None
    """Stage and iteration a person is looking at."""
    open_calls: Mapping[str, Event] = field(default_factory=lambda: NOTHING)
    """Calls without an end on record, by id."""
    used: TaskUsage = TaskUsage()
    worked_until: str = ""
    """Up to when `used.wall_seconds` is counted."""
    branch: str = ""
    """The branch of the task's workspace; empty while there is none."""
    measured: Mapping[str, Measured] = field(default_factory=lambda: NOTHING)
    """The newest measurement of each kind that holds for the whole task."""
    refs: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Refs written into the person's repository → commit."""
    hints: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    messages: frozenset[str] = frozenset()
    """Inbox messages already on record."""
    active: bool = False
    stop: str | None = None
    stop_detail: str = ""
    exit_now: str = ""
    exited: PipelineExited | None = None
    unknown: tuple[str, ...] = ()
    """Event types this program does not know; such a task is shown, not run."""
    last_action: str = ""

    def stage(self, name: str) -> StageState:
        """The state of a stage, also of one that has not begun."""
        return self.stages.get(name, StageState())

    def the_task(self) -> Task:
        """The task; a log without its first event is damaged and never gets here."""
        if self.task is None:
            raise ValueError("the log has no task_created event")
        return self.task

    def artifacts(self) -> dict[str, Digest]:
        """Contract → accepted artifact, external ones first."""
        found = dict(self.externals)
        for stage in self.the_task().pipeline.stages:
            mine = self.stage(stage.name)
            if mine.status == "passed" and mine.artifact:
                found[stage.output_contract] = mine.artifact
        return found

    def reason(self) -> str | None:
        """Why the task stopped, or None while it can continue."""
        if self.stop is StopReason.aborted:
            return self.stop
        if self.exited is not None:
            return StopReason.done
        if self.stop is not None:
            return self.stop
        if self.escalations:
            return StopReason.question
        return StopReason.approval if self.awaiting else None

    def status(self) -> TaskStatus:
        """The published state."""
        reason = self.reason()
        if reason is not None:
            return STOPS[reason].status
        return TaskStatus.running if self.active or self.used.steps else TaskStatus.pending


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Generic[T]):
    """One way to read a log. Values are immutable: a snapshot of them is kept and shared."""

    name: str
    empty: T
    apply: Callable[[T, Record], T]
    events: tuple[type[Event | Unknown], ...] = (Event, Unknown)
    """The kinds of facts it reads; every other one leaves its value as it is."""
    about: Callable[[Task], bool] = lambda task: True
    """Whether it is about such a task; in any other its value stays empty."""


PROJECTIONS: dict[str, Projection[Any]] = {}
"""Every registered projection by name. A room registers its own when it is imported."""


def register(projection: Projection[T]) -> Projection[T]:
    """Fold this projection in every log that is read from now on."""
    if PROJECTIONS.setdefault(projection.name, projection) is not projection:
        raise ValueError(f"two projections have the name {projection.name}")
    _reading.cache_clear()
    return projection


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A log up to one record, in every registered projection."""

    seq: int
    values: Mapping[str, Any]
    skipped: frozenset[str] | None = None
    """Projections that are not about the task; None before there is one."""

    def of(self, projection: Projection[T]) -> T:
        """The value of one projection."""
        return cast(T, self.values[projection.name])

    def after(self, records: Iterable[Record]) -> Snapshot:
        """The snapshot after more records; each is applied once to every projection that reads it."""
        values, seq, skipped = dict(self.values), self.seq, self.skipped
        for record in records:
            seq, kind = record.seq, cast(Any, type(record.event))
            if isinstance(task := getattr(record.event, "task", None), Task):
                other = frozenset(name for name in values if not PROJECTIONS[name].about(task))
                skipped = other if skipped is None else skipped & other  # a task that grows keeps what it has
            for one in _reading(kind):
                if one.name in values and one.name not in (skipped or ()):
                    values[one.name] = one.apply(values[one.name], record)
        return Snapshot(seq, MappingProxyType(values), skipped)


@cache  # asked for every record
def _reading(kind: Any) -> tuple[Projection[Any], ...]:
    """The projections that read such a fact."""
    return tuple(one for one in PROJECTIONS.values() if issubclass(kind, one.events))


def empty(*only: Projection[Any]) -> Snapshot:
    """The snapshot of a log without a record, in every registered projection or in these alone."""
    return Snapshot(0, MappingProxyType({one.name: one.empty for one in only or PROJECTIONS.values()}))
