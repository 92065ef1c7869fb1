"""What a task may cost, before it begins: a range from what its stages usually need, and the cap no task can exceed."""

from __future__ import annotations

from typing import Any, NamedTuple

from thoughtforge.agent.context import TOTAL
from thoughtforge.service.agents import make_model
from thoughtforge.service.app import App
from thoughtforge.service.create import TaskSpec

USUAL_CALLS = {"document": (1, 2), "clarify": (2, 8), "analyze": (4, 20), "code": (10, 60), "deliver": (2, 10)}
"""Driver → calls of a smooth and of a long run of one stage. A guess, labelled as one."""
USUAL_OUTPUT = 700


class Estimate(NamedTuple):
    """A guess with its basis."""

    calls_low: int
    calls_high: int
    tokens_low: int
    tokens_high: int
    usd_low: float | None
    usd_high: float | None
    usd_cap: float | None

    def text(self) -> str:
        """The guess as a sentence."""
        calls = f"{self.calls_low}–{self.calls_high} calls, about {self.tokens_low:,}–{self.tokens_high:,} tokens"
        if self.usd_high is None:
            return f"{calls}, price unknown"
        cap = f", never above ${self.usd_cap:.2f}" if self.usd_cap is not None else ""
        return f"{calls}, about ${self.usd_low:.2f}–${self.usd_high:.2f}{cap}"


def estimate(app: App, plan: TaskSpec) -> Estimate:
    """The range for a plan; an unknown price makes the money unknown."""
    names = [stage.name for stage in plan.pipeline.stages]
    stages = plan.pipeline.stages[: names.index(plan.exit_stage) + 1]
    low = high = 0
    for stage in stages:
        least, most = USUAL_CALLS.get(stage.driver, (1, 20))
        low += least + len(stage.reviewers)
        high += most + 3 * len(stage.reviewers)
    steps = plan.caps.steps
    high = high if steps is None else min(high, steps)
    prices = [_price_of_call(app, name) for name in sorted(set(plan.agents.values()))]
    dearest = None if None in prices else max((price for price in prices if price is not None), default=None)
    size = TOTAL // 2 + USUAL_OUTPUT
    return Estimate(
        calls_low=low,
        calls_high=high,
        tokens_low=low * size,
        tokens_high=high * (TOTAL + USUAL_OUTPUT),
        usd_low=None if dearest is None else round(low * dearest / 2, 4),
        usd_high=None if dearest is None else round(high * dearest, 4),
        usd_cap=plan.caps.usd,
    )


def _price_of_call(app: App, provider: str) -> float | None:
    """A whole context and a usual answer, by the provider's own price list."""
    return make_model(app, provider).reserve("", "x" * TOTAL, USUAL_OUTPUT).usd


class PlannedStage(NamedTuple):
    """One stage of a task that could start."""

    stage: str
    role: str
    reviewers: tuple[str, ...]
    contract: str


class StartPlan(NamedTuple):
    """What a task would do and may cost, before it starts."""

    goal: str
    goal_cause: str
    pipeline: str
    exit_stage: str
    stages: tuple[PlannedStage, ...]
    providers: dict[str, str]
    offsite: tuple[str, ...]
    caps: dict[str, Any]
    estimate: Estimate
    base_commit: str
    notes: tuple[str, ...]


def plan_view(app: App, plan: TaskSpec) -> StartPlan:
    """The plan and its estimate for a person or a script."""
    stages = tuple(PlannedStage(s.name, s.role, tuple(s.reviewers), s.output_contract) for s in plan.pipeline.stages)
    return StartPlan(
        goal=plan.goal.name,
        goal_cause=plan.goal.cause,
        pipeline=plan.pipeline.name,
        exit_stage=plan.exit_stage,
        stages=stages,
        providers=plan.agents,
        offsite=tuple(plan.offsite),
        caps=plan.caps.model_dump(),
        estimate=estimate(app, plan),
        base_commit=plan.base_commit,
        notes=tuple(plan.notes),
    )
