"""All tasks of a home, from the index: this imports nothing heavy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.views.values import TaskList, TaskSummary

if TYPE_CHECKING:
    from thoughtforge.store.port import Store

STATES = ("done", "running", "needs_person", "halted", "pending")


def task_list(store: Store) -> TaskList:
    """Every task in a line or two, and how many are in each state."""
    tasks = tuple(TaskSummary.of(row) for row in store.summaries())
    counts = dict.fromkeys(STATES, 0)
    for task in tasks:
        counts[task.state] += 1
    return TaskList(store.where, counts, tasks)
