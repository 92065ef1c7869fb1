"""A task as an object: its record, blobs, inbox and views, held by one process from beginning to end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.state import State
from thoughtforge.service.thought_views import thought_views
from thoughtforge.store.port import OpenTask, Store


@contextmanager
def open_task(store: Store, task_id: str, *, who: str) -> Iterator[OpenTask]:
    """Hold the task. Half an event that a crash left is on record as such before anything else is."""
    with store.open(task_id, who=who) as task:
        if task.torn:
            text = f"an unfinished last event was set aside as {task.torn}"
            task.journal.append(WarningGiven(text=text, code="log_torn"))
        task.views.more = thought_views(task.journal, task.blobs)
        yield task


def readable(store: Store, task_id: str) -> State | None:
    """A task as a reader sees it; None when its record is damaged, which is for whoever opens that very task."""
    try:
        state = store.peek(task_id).state
    except LogCorrupt:
        return None
    return state if state.task is not None else None
