"""The facts of a task's own files: its workspace, planned edits, commits, and refs in the person's repository."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from thoughtforge.kernel.events import Event, register
from thoughtforge.kernel.fold import changes, plus, with_stage
from thoughtforge.kernel.model import Digest


class WorkspaceMade(Event):
    type: Literal["workspace_made"] = "workspace_made"
    branch: str
    notes: tuple[str, ...] = ()
    """What is unusual about the repository, one sentence each."""


class WorkspaceDropped(Event):
    """The workspace was taken away before anything was done in it; the next one begins from another commit."""

    type: Literal["workspace_dropped"] = "workspace_dropped"
    at_rest = True


class TaskMoved(Event):
    type: Literal["task_moved"] = "task_moved"
    at_rest = True
    before: str
    repository: str
    """The new path of the task's repository, as a person set it."""
    by: str = ""


class EditPlanned(Event):
    type: Literal["edit_planned"] = "edit_planned"
    stage: str
    step: int
    path: str
    before: Digest | None
    """None when the file does not exist yet."""
    after: Digest | None
    """Blob of the new content; None when the edit deletes the file."""
    mode: Literal["", "100644", "100755"] = ""
    """The mode as git names it; empty when the edit deletes the file, and in older logs, where it stays the same."""


class CommitMade(Event):
    type: Literal["commit_made"] = "commit_made"
    stage: str
    commit: str
    tree: str
    raw: Digest | None = None
    """Blob of the commit object itself, so that the engine can make the same commit again; None in older logs."""


class RefWritten(Event):
    """One ref of the person's repository was set; the only way anything gets into it."""

    type: Literal["ref_written"] = "ref_written"
    ref: str
    commit: str
    why: Literal["delivered", "salvaged", "applied", "discarded"]


register(WorkspaceMade, WorkspaceDropped, TaskMoved, EditPlanned, CommitMade, RefWritten)
changes(
    {
        WorkspaceMade: lambda state, event: replace(state, branch=event.branch),
        WorkspaceDropped: lambda state, event: replace(state, branch=""),
        TaskMoved: lambda state, event: replace(
            state, task=state.task and state.task.model_copy(update={"repository": event.repository})
        ),
        CommitMade: lambda state, event: with_stage(state, event.stage, commit=event.commit),
        RefWritten: lambda state, event: replace(state, refs=plus(state.refs, event.ref, event.commit)),
    }
)
