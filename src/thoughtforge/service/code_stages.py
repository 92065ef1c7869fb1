"""Which stages write files, told without loading what only they need."""

from __future__ import annotations

from thoughtforge.kernel.model import Task

BUILDING = ("code", "deliver")
"""Drivers whose stages write files."""


def drivers_of(task: Task) -> frozenset[str]:
    """The drivers of the stages up to the exit."""
    names = [stage.name for stage in task.pipeline.stages]
    return frozenset(stage.driver for stage in task.pipeline.stages[: names.index(task.exit_stage) + 1])


def builds(task: Task) -> bool:
    """Whether any stage up to the exit writes files."""
    return not drivers_of(task).isdisjoint(BUILDING)
