"""The values everything else speaks in: pipeline, stage, task, verdict, escalation. Frozen and strict."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

Digest = str
"""A lower-case hex SHA-256."""


class Value(BaseModel):
    """What all values share: frozen, no unknown fields. `contracts/published.py` makes their JSON Schemas."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Event(Value):
    """A fact. `message` names the inbox message it came from, if it did."""

    at_rest: ClassVar[bool] = False
    """Whether it is written while no runner is at work, perhaps long after a crash: working time does not run then."""
    version: int = 1
    message: str = ""


class Caps(Value):
    """The limits of one task over all its calls, loops and resumes. None means no cap."""

    usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    tokens: int | None = Field(default=None, ge=0)
    steps: int | None = Field(default=None, ge=0)
    wall_seconds: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    stage_steps: int = Field(default=100, ge=1)
    """Agent actions in one stage before a person is asked."""
    unknown_usd: bool = False
    """Whether calls of unknown price are allowed although a spending cap is set."""


class RetryLimits(Value):
    """How often the engine tries before it asks a person."""

    repairs: int = Field(default=2, ge=0)
    """How often the same agent gets contract violations back."""
    review_iterations: int = Field(default=3, ge=1)
    """How often an agent may revise a reviewed artifact."""


class Stage(Value):
    """One stage of a pipeline, as its data file gives it."""

    name: str
    purpose: str
    driver: str
    """The file in drivers/ that does the work."""
    role: str
    output_contract: str
    prerequisites: tuple[str, ...] = ()
    """Contracts of the artifacts this stage cannot begin without."""
    reviewers: tuple[str, ...] = ()
    review_mode: Literal["blocking", "advisory"] = "blocking"
    entry_point: bool = False
    exit_point: bool = False
    iterable: bool = False
    max_iterations: int = 1
    iterate_prompt: str = ""
    skip_if: tuple[str, ...] = ()
    """Conditions the engine computes; any one of them skips the stage."""
    required: bool = True
    default_exit: bool = False
    write_paths: str = ""
    """A further limit on what the stage may write, as a path pattern list."""
    options: dict[str, Any] = Field(default_factory=dict)
    """What the driver declares that a stage may set."""


class External(Value):
    """An artifact a pipeline accepts or requires from outside."""

    contract: str
    skips_to: str = ""
    requires: tuple[str, ...] = ()
    source: str = ""


class PipelineExit(Value):
    """Where a pipeline ends and what it hands over."""

    stage: str
    deliverable: str
    summary_template: str = ""


class Continuation(Value):
    """What can follow a pipeline."""

    prompt: str
    next_pipeline: str
    provides: tuple[str, ...] = ()


class Pipeline(Value):
    """The stages of one goal, in order; the only table that says so."""

    name: str
    description: str
    goal_type: str
    stages: tuple[Stage, ...]
    exit: PipelineExit
    verbs: tuple[str, ...] = ()
    """First words of a request that ask for this pipeline."""
    noun_verbs: tuple[str, ...] = ()
    """First words that ask for it only when an object follows (“test the parser”, not “test runner page”)."""
    continuation: Continuation | None = None
    accepts_external: dict[str, External] = Field(default_factory=dict)
    requires_external: dict[str, External] = Field(default_factory=dict)

    def stage(self, name: str) -> Stage:
        """The stage of that name; asking for one that is not there is a bug of the caller."""
        return next(stage for stage in self.stages if stage.name == name)


class Pauses(Value):
    """Where the person wants to be asked."""

    supervised: bool = False
    """After every stage."""
    stages: tuple[str, ...] = ()
    """After these."""
    iterate: bool = False
    """After every iterable stage."""
    actions: bool = False
    """Before every action of an agent."""


class Input(Value):
    """An artifact brought in from outside, checked against its contract before it counts."""

    contract: str
    digest: Digest
    source: str


class Task(Value):
    """What was asked, fixed at creation."""

    id: str
    request: str
    """The request itself up to 4 kB; of a longer one the beginning and the end."""
    request_digest: Digest
    """The blob that holds the whole request."""
    goal: str
    goal_cause: str
    """Why this goal was chosen, in words."""
    pipeline: Pipeline
    exit_stage: str
    sources: dict[str, Digest] = Field(default_factory=dict)
    """The digest of every data file in effect (pipeline, roles, contracts, prompts)."""
    inputs: tuple[Input, ...] = ()
    repository: str
    base_commit: str
    created_at: str
    caps: Caps = Caps()
    rules: RetryLimits = RetryLimits()
    pauses: Pauses = Pauses()
    providers: dict[str, str] = Field(default_factory=dict)
    """Role → provider entry, `*` for all others."""
    labels: tuple[str, ...] = ()
    """Words shown wherever the task is, such as `scripted`."""


class Problem(Value):
    """One thing wrong with an artifact: where and what."""

    where: str
    what: str
    rule: str = ""


class Verdict(Value):
    """What the gate found. `broken` means a check could not run: neither pass nor fail."""

    outcome: Literal["pass", "fail", "broken"]
    problems: tuple[Problem, ...] = ()
    measured: dict[str, bool | int | float | str] = Field(default_factory=dict)
    """What the engine measured itself, by must_verify key and fact name."""


class Criterion(Value):
    """One condition of a stage's exit and its outcome."""

    name: str
    outcome: Literal["pass", "fail", "broken", "not_run"]
    detail: str = ""


class Issue(Value):
    """One point of a review."""

    id: str
    severity: str
    location: str = ""
    description: str
    remediation: str = ""


class Question(Value):
    """One thing only a person can know."""

    id: str
    text: str
    impact: str = "blocking"
    proposal: str = ""
    """What the agent would assume, when it had an idea."""


class Escalation(Value):
    """A question to a person, with what they need to answer it."""

    id: str
    stage: str
    reason: Literal[
        "ambiguity",
        "contract_violations",
        "review_unresolved",
        "step_limit",
        "agent_question",
        "no_progress",
        "held_back",
    ]
    summary: str
    questions: tuple[Question, ...] = ()
    choices: tuple[str, ...] = ("answer", "abort")


class Feedback(Value):
    """What the next round of a stage must take into account."""

    kind: Literal["contract", "review", "person", "answer"]
    iteration: int = 0
    items: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()


JsonObject = dict[str, Any]
