"""After a restart: thoughts whose runner vanished in a phase nobody watches halt, and a person lets them go on."""

from __future__ import annotations

from thoughtforge.kernel.errors import Held
from thoughtforge.kernel.events import RunnerStopped
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.messages import readable
from thoughtforge.service.thought_messages import autonomous
from thoughtforge.service.thought_views import thought_views
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.store.lease import lease
from thoughtforge.store.log import FileLog
from thoughtforge.store.viewfiles import ViewFiles

THINK = "think"


def halt_abandoned(app: App) -> list[str]:
    """Halt every thought left behind in an autonomous phase; one that somebody runs is not touched. Their ids."""
    found = [task_id for task_id in app.home.ids() if _abandoned(readable(app.home.folder(task_id)))]
    return [task_id for task_id in found if _halt(app, task_id)]


def _abandoned(state: State | None) -> bool:
    """Its log says somebody runs it, in a phase that waits for nobody."""
    return state is not None and state.the_task().goal == THINK and state.active and autonomous(state)


def _halt(app: App, task_id: str) -> bool:
    folder = app.home.folder(task_id)
    try:
        with lease(folder, who=app.who):
            log = FileLog(folder, masker=app.masker, clock=app.clock)
            try:
                journal = Journal(log)
                if not _abandoned(journal.state):
                    return False
                detail = "the program ended while it was at work; nothing was lost"
                journal.append(RunnerStopped(reason=StopReason.server_restart, detail=detail))
                blobs = FileBlobs(folder, masker=app.masker)
                ViewFiles(folder, blobs, app.masker, more=thought_views(journal, blobs)).write(journal.state)
            finally:
                log.close()
    except Held:
        return False
    return True
