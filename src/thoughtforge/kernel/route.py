"""next_step: the whole routing policy, as a pure function of the state. The pipeline decides, never an agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from thoughtforge.kernel.model import Digest, Stage, Task
from thoughtforge.kernel.state import StageState, State
from thoughtforge.kernel.stops import StopReason


class Stopped(NamedTuple):
    """Nothing to do until something changes."""

    reason: str
    detail: str = ""


class Skip(NamedTuple):
    stage: Stage
    reason: str


class Work(NamedTuple):
    """Begin a round, or go on in the one that was begun."""

    stage: Stage
    round: int
    begin: bool
    inputs: tuple[Digest, ...]


class Judge(NamedTuple):
    stage: Stage
    artifact: Digest
    to: str


class Review(NamedTuple):
    stage: Stage
    artifact: Digest
    reviewer: str
    iteration: int


class Present(NamedTuple):
    stage: Stage
    artifact: Digest
    iteration: int


class Escalate(NamedTuple):
    """The engine has tried as often as it may; a person decides."""

    stage: Stage
    reason: Literal["contract_violations", "review_unresolved", "step_limit"]


class Pass(NamedTuple):
    stage: Stage
    artifact: Digest


class Finish(NamedTuple):
    stage: Stage
    artifact: Digest
    exit_type: Literal["default", "early", "user"]


Step = Stopped | Skip | Work | Judge | Review | Present | Escalate | Pass | Finish

SKIPS: dict[str, Callable[[State], bool]] = {}
"""Word in a pipeline file → whether it holds. The room that reads those files registers them."""


def next_step(state: State) -> Step:
    """What comes next, from the log alone."""
    reason = state.reason()
    if reason is not None:
        return Stopped(reason, state.stop_detail)
    task = state.the_task()
    inputs: tuple[Digest, ...] = tuple(state.externals.values())
    for stage in task.pipeline.stages:
        mine = state.stage(stage.name)
        step = _skip(state, stage, mine, inputs) or _stage_step(state, task, stage, mine, inputs)
        if step is not None:
            return step
        if mine.status == "passed" and mine.artifact:
            inputs = (*inputs, mine.artifact)
            if stage.name in (state.exit_now, task.exit_stage):
                return Finish(stage, mine.artifact, _exit_type(state, task, stage))
    return Stopped(StopReason.prerequisite_missing, f"stage {task.exit_stage} produced no artifact")


def _exit_type(state: State, task: Task, stage: Stage) -> Literal["default", "early", "user"]:
    if state.exit_now == stage.name:
        return "user"
    return "default" if stage.name == task.pipeline.exit.stage else "early"


def _skip_reason(state: State, stage: Stage) -> str | None:
    return next((name for name in stage.skip_if if SKIPS[name](state)), None)


def _skip(state: State, stage: Stage, mine: StageState, inputs: tuple[Digest, ...]) -> Skip | None:
    """Skip what has not begun, or what would have to begin again on other inputs."""
    if mine.status == "skipped" or (mine.status != "pending" and mine.inputs == inputs):
        return None
    reason = _skip_reason(state, stage)
    return Skip(stage, reason) if reason else None


def _stage_step(state: State, task: Task, stage: Stage, mine: StageState, inputs: tuple[Digest, ...]) -> Step | None:
    """The next step of one stage; None when it is behind us."""
    if mine.status == "skipped" and _skip_reason(state, stage):
        return None
    again = Work(stage, mine.round + 1, begin=True, inputs=inputs)
    if mine.status == "working":
        if mine.inputs != inputs:
            return again
        if mine.steps >= state.caps.stage_steps:
            return Escalate(stage, "step_limit")
        return Work(stage, mine.round, begin=False, inputs=inputs)
    if mine.status in ("pending", "skipped"):  # the reason to skip may be gone with a new artifact above
        missing = [name for name in stage.prerequisites if name not in state.artifacts()]
        if missing:
            return Stopped(StopReason.prerequisite_missing, f"stage {stage.name} needs {', '.join(missing)}")
        return again
    if mine.rework or mine.inputs != inputs:
        return again
    if mine.status == "passed":
        return None
    return _made(state, task, stage, mine) or again


def _made(state: State, task: Task, stage: Stage, mine: StageState) -> Step | None:
    """An artifact is there: gate, review, person, pass; None asks for another round."""
    artifact = mine.artifact or ""
    if mine.verdict is None:
        return Judge(stage, artifact, _after(task, stage))
    if mine.verdict.outcome == "broken":
        return Stopped(StopReason.check_broken, "; ".join(p.what for p in mine.verdict.problems))
    if mine.verdict.outcome == "fail":
        return Escalate(stage, "contract_violations") if mine.repairs > task.rules.repairs else None
    done = {review.reviewer for review in mine.reviews}
    waiting = [name for name in stage.reviewers if name not in done]
    if waiting:
        iteration = mine.review_iteration if mine.reviews else mine.review_iteration + 1
        return Review(stage, artifact, waiting[0], iteration)
    if mine.blocking() and not mine.overridden:
        spent = mine.review_iteration >= task.rules.review_iterations
        return Escalate(stage, "review_unresolved") if spent else None
    if _wants_person(task, stage) and not mine.approved:
        return Present(stage, artifact, mine.iteration + 1)
    return Pass(stage, artifact)


def _after(task: Task, stage: Stage) -> str:
    names = [s.name for s in task.pipeline.stages]
    place = names.index(stage.name) + 1
    return "exit" if stage.name == task.exit_stage or place == len(names) else names[place]


def _wants_person(task: Task, stage: Stage) -> bool:
    pauses = task.pauses
    return pauses.supervised or stage.name in pauses.stages or (pauses.iterate and stage.iterable)
