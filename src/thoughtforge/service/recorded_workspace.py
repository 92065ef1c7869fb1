"""The workspace of a task as its record says it is, for whoever holds the task; what had to be put right is told."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.service.app import App
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.past import past_of
from thoughtforge.workspaces.rebuilding import as_recorded


async def recorded_workspace(app: App, folder: Path, journal: Journal, *, user: Git, files: bool = True) -> Workspace:
    """Open it, rebuild it, or refuse with what the record lacks; without `files` only the clone is looked at."""
    branch = f"thoughtforge/{journal.state.the_task().id}"
    blobs = FileBlobs(folder, masker=app.masker)
    past = past_of(journal.log.read())
    found = await as_recorded(user, past, branch=branch, at=folder, blobs=blobs, files=files)
    if found.note:
        journal.append(WarningGiven(text=found.note, code="workspace_rebuilt"))
    return found.workspace
