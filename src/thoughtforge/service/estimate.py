"""What a task may cost, before it begins: a range from what such tasks took, and the cap no task can exceed."""

from __future__ import annotations

from typing import Any, NamedTuple

import yaml

from thoughtforge.agent.room import TOTAL
from thoughtforge.catalog import LIBRARY
from thoughtforge.definitions.drivers import until
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.state import State
from thoughtforge.service.agents import make_model
from thoughtforge.service.app import App
from thoughtforge.service.create import TaskSpec
from thoughtforge.views.tasks import began

USUAL_CALLS = {"document": (1, 2), "clarify": (1, 4), "analyze": (2, 8), "code": (2, 10), "deliver": (1, 3)}
"""Driver → calls of a smooth and of a long run of one stage. A guess, labelled as one."""
USUAL_OUTPUT = 700


LEAST_TASKS = 3
"""Finished tasks of the same kind that say more than the figures of the library."""
MOST_TASKS = 50
"""How many of the newest tasks are looked at."""


class Estimate(NamedTuple):
    """A range with its basis."""

    calls_low: int
    calls_high: int
    tokens_low: int
    tokens_high: int
    usd_low: float | None
    usd_high: float | None
    usd_cap: float | None
    basis: str
    """Where the figures come from."""

    def text(self) -> str:
        """The range as a sentence."""
        calls = f"{self.calls_low}–{self.calls_high} calls, about {self.tokens_low:,}–{self.tokens_high:,} tokens"
        if self.usd_high is None:
            return f"{calls}, price unknown ({self.basis})"
        cap = f", never above ${self.usd_cap:.2f}" if self.usd_cap is not None else ""
        return f"{calls}, about ${self.usd_low:.2f}–${self.usd_high:.2f}{cap} ({self.basis})"


class MeasuredRange(NamedTuple):
    """What such tasks took: least and most calls and tokens, and where that is known from."""

    calls: tuple[int, int]
    tokens: tuple[int, int]
    basis: str


def estimate(app: App, plan: TaskSpec) -> Estimate:
    """The range for a plan; an unknown price makes the money unknown."""
    found = _finished(app, plan) or _measured(plan) or _guess(plan)
    steps = plan.caps.steps
    low, high = (count if steps is None else min(count, steps) for count in found.calls)
    prices = [_price_of_call(app, name) for name in sorted(set(plan.agents.values()))]
    dearest = None if None in prices else max((price for price in prices if price is not None), default=None)
    return Estimate(
        calls_low=low,
        calls_high=high,
        tokens_low=found.tokens[0],
        tokens_high=found.tokens[1],
        usd_low=None if dearest is None else round(low * dearest / 2, 4),
        usd_high=None if dearest is None else round(high * dearest, 4),
        usd_cap=plan.caps.usd,
        basis=found.basis,
    )


def _finished(app: App, plan: TaskSpec) -> MeasuredRange | None:
    """What the person's own finished tasks of this kind took, without the cheapest and the dearest tenth."""
    used = []
    for task_id in sorted(app.store.ids())[-MOST_TASKS:]:
        try:
            state = app.store.peek(task_id).state
        except UserError:
            continue  # a damaged task says nothing
        if state.exited is not None and _same_kind(state, plan):
            used.append(state.used)
    if len(used) < LEAST_TASKS:
        return None
    calls, tokens = sorted(one.steps for one in used), sorted(one.tokens for one in used)
    cut = len(used) // 10
    basis = f"from {len(used)} finished tasks of this home"
    return MeasuredRange((calls[cut], calls[-1 - cut]), (tokens[cut], tokens[-1 - cut]), basis)


def _same_kind(state: State, plan: TaskSpec) -> bool:
    """A run that became full counts as what it began as: nobody knows before what a new one becomes."""
    task = state.the_task()
    kind = (task.pipeline.name, task.exit_stage, began(state), tuple(task.labels))
    return kind == (plan.pipeline.name, plan.exit_stage, _depth_of(plan), plan.labels)


def _depth_of(plan: TaskSpec) -> str:
    return plan.depth.depth if plan.depth else "full"


def _measured(plan: TaskSpec) -> MeasuredRange | None:
    """What the library knows of whole runs; of a run that ends early it knows nothing."""
    if plan.exit_stage != plan.pipeline.exit.stage or plan.inputs:
        return None
    for row in yaml.safe_load((LIBRARY / "estimates.yaml").read_text(encoding="utf-8")):
        if (row["pipeline"], row["depth"]) == (plan.pipeline.name, _depth_of(plan)):
            return MeasuredRange(tuple(row["calls"]), tuple(row["tokens"]), row["basis"])
    return None


def _guess(plan: TaskSpec) -> MeasuredRange:
    """By what each stage usually needs."""
    low = high = 0
    for stage in until(plan.pipeline, plan.exit_stage):
        least, most = USUAL_CALLS.get(stage.driver, (1, 8))
        low += least + len(stage.reviewers)
        high += most + 2 * len(stage.reviewers)
    tokens = (low * (TOTAL // 2 + USUAL_OUTPUT), high * (TOTAL + USUAL_OUTPUT))
    return MeasuredRange((low, high), tokens, "a guess by stages: no such task was measured yet")


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
    depth: dict[str, str]
    stages: tuple[PlannedStage, ...]
    providers: dict[str, str]
    offsite: tuple[str, ...]
    caps: dict[str, Any]
    estimate: Estimate
    base_commit: str
    notes: tuple[str, ...]


def plan_view(app: App, plan: TaskSpec) -> StartPlan:
    """The plan and its estimate for a person or a script."""
    asked = plan.depth.reviewers if plan.depth else {}
    stages = tuple(
        PlannedStage(s.name, s.role, tuple(asked.get(s.name, s.reviewers)), s.output_contract)
        for s in plan.pipeline.stages
    )
    return StartPlan(
        goal=plan.goal.name,
        goal_cause=plan.goal.cause,
        pipeline=plan.pipeline.name,
        exit_stage=plan.exit_stage,
        depth=plan.depth.model_dump(include={"depth", "asked", "reason"}) if plan.depth else {},
        stages=stages,
        providers=plan.agents,
        offsite=tuple(plan.offsite),
        caps=plan.caps.model_dump(),
        estimate=estimate(app, plan),
        base_commit=plan.base_commit,
        notes=tuple(plan.notes),
    )
