"""After a restart: thoughts whose runner vanished in a phase nobody watches halt, and a person lets them go on."""

from __future__ import annotations

from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.kernel.errors import Held
from thoughtforge.kernel.events import RunnerStopped
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.open_task import open_task, readable
from thoughtforge.service.thought_messages import autonomous

THINK = "think"


def halt_abandoned(app: App) -> list[str]:
    """Halt every thought left behind in an autonomous phase; one that somebody runs is not touched. Their ids."""
    found = [task_id for task_id in app.store.ids() if _abandoned(readable(app.store, task_id))]
    return [task_id for task_id in found if _halt(app, task_id)]


def _abandoned(state: State | None) -> bool:
    """Its log says somebody runs it, in a phase that waits for nobody."""
    return state is not None and state.the_task().goal == THINK and state.active and autonomous(state)


def _halt(app: App, task_id: str) -> bool:
    try:
        with open_task(app.store, task_id, who=app.who) as task:
            if not _abandoned(task.journal.state):
                return False
            detail = "the program ended while it was at work; nothing was lost"
            task.journal.append(RunnerStopped(reason=ThoughtStop.server_restart, detail=detail))
            task.views.write(task.journal.state)
    except Held:
        return False
    return True
