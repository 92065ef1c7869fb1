"""The workspace of a task as its record says it is, for whoever holds the task; what had to be put right is told."""

from __future__ import annotations

from thoughtforge.kernel.events import WarningGiven
from thoughtforge.store.port import OpenTask
from thoughtforge.workspaces.clone import Workspace
from thoughtforge.workspaces.git import Git
from thoughtforge.workspaces.past import PAST
from thoughtforge.workspaces.rebuilding import as_recorded


async def recorded_workspace(task: OpenTask, *, user: Git, files: bool = True) -> Workspace:
    """Open it, rebuild it, or refuse with what the record lacks; without `files` only the clone is looked at."""
    branch = f"thoughtforge/{task.id}"
    past = task.journal.of(PAST)
    found = await as_recorded(user, past, branch=branch, at=task.local, blobs=task.blobs, files=files)
    if found.note:
        task.journal.append(WarningGiven(text=found.note, code="workspace_rebuilt"))
    return found.workspace
