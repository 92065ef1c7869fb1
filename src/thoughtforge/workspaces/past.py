"""What the record says of a workspace: the files it must hold now, and everything that led to them, in order.

An action that ended, an exit that passed and a commit name the tree of files they
left. An edit after the last of them has no end on record: its action is carried out anew, so it does not count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel.events import (
    Measured,
    Record,
    RunnerStarted,
    StagePassed,
    StageStarted,
    TaskCreated,
    TaskExtended,
)
from thoughtforge.kernel.model import Digest, Task
from thoughtforge.kernel.state import Projection, State, register
from thoughtforge.workspaces.events import CommitMade, EditPlanned, WorkspaceDropped, WorkspaceMade

TAKEN_IN = "taken_in"
"""What the record calls edits that are no agent's, a person's or the engine's, and came in in the middle of work."""
CIRCLES = "circles"
"""What the record calls a stage that made no progress; it is forgotten when the stage starts again."""


@dataclass(frozen=True, slots=True)
class FreshStart:
    """A stage began afresh on the files of a commit."""

    commit: str


@dataclass(frozen=True, slots=True)
class Edited:
    """Edits were planned; the files were this tree afterwards."""

    edits: tuple[EditPlanned, ...]
    fresh: int
    """Where the edits of the last runner begin; those before were taken back if a crash cut them short."""
    tree: str


FileDeed = FreshStart | Edited | CommitMade


@dataclass(frozen=True, slots=True)
class FileDeeds:
    """What was done, newest first; a longer list shares the shorter one, so adding costs the same at any length."""

    last: FileDeed
    before: FileDeeds | None


@dataclass(frozen=True, slots=True)
class StageFiles:
    """As much of a stage as decides which commit it builds on."""

    inputs: tuple[Digest, ...] = ()
    measured: bool = False
    commit: str = ""
    passed: bool = False


@dataclass(frozen=True, slots=True)
class WorkspaceHistory:
    """A workspace as its record tells it."""

    base: str = ""
    branch: str = ""
    order: tuple[str, ...] = ()
    """The stages of the pipeline."""
    stages: Mapping[str, StageFiles] = field(default_factory=lambda: MappingProxyType({}))
    tip: str = ""
    """The commit the branch is at."""
    taken_in: str = ""
    """The commit of a person's project whose edits the files have taken in since the tip; empty for the tip itself."""
    tree: str = ""
    """The tree of the files; empty for that of the tip."""
    done: FileDeeds | None = None
    open: tuple[EditPlanned, ...] = ()
    """Edits without an end on record."""
    fresh: int = 0
    begun: tuple[str, str] = ("", "")
    """A stage that began afresh and has not touched a file yet, with the commit it goes back to before it does."""

    @property
    def deeds(self) -> tuple[FileDeed, ...]:
        """What was done, in order."""
        found, at = [], self.done
        while at is not None:
            found.append(at.last)
            at = at.before
        return tuple(reversed(found))


def apply(past: WorkspaceHistory, record: Record) -> WorkspaceHistory:
    """What one more record adds."""
    event = record.event
    match event:
        case TaskCreated() | TaskExtended():
            return _of_task(past, event.task)
        case WorkspaceMade() | WorkspaceDropped():
            return _workspace(past, event)
        case RunnerStarted():
            return replace(past, fresh=len(past.open))
        case StageStarted():
            return _begun(past, event)
        case StagePassed():
            return _stage(past, event.stage, passed=True)
        case EditPlanned():
            past = _touched(past, event.stage)
            return replace(past, open=(*past.open, event))
        case ActionTaken() if event.tree:
            return _settled(_touched(past, event.stage), event.tree)
        case Measured() if event.stage:
            return _measured(past, event)
        case CommitMade():
            past = _stage(past, event.stage, commit=event.commit)
            done = FileDeeds(event, past.done)
            begun = ("", "") if past.begun[0] == event.stage else past.begun
            past = replace(past, tip=event.commit, taken_in="", tree=event.tree, done=done)
            return replace(past, open=(), fresh=0, begun=begun)
    return past


READ = (
    *(TaskCreated, TaskExtended, WorkspaceMade, WorkspaceDropped, RunnerStarted, StageStarted, StagePassed),
    *(EditPlanned, ActionTaken, Measured, CommitMade),
)
PAST = register(Projection("past", WorkspaceHistory(), apply, READ))
"""What a workspace must hold, for whoever opens it."""


def _of_task(past: WorkspaceHistory, task: Task) -> WorkspaceHistory:
    return replace(past, base=task.base_commit, order=tuple(stage.name for stage in task.pipeline.stages))


def _workspace(past: WorkspaceHistory, event: WorkspaceMade | WorkspaceDropped) -> WorkspaceHistory:
    if isinstance(event, WorkspaceMade):
        return replace(past, branch=event.branch)
    return WorkspaceHistory(
        past.base, order=past.order, begun=(past.begun[0], past.base) if past.begun[0] else ("", "")
    )


def _stage(past: WorkspaceHistory, name: str, **changes: Any) -> WorkspaceHistory:
    mine = replace(past.stages.get(name, StageFiles()), **changes)
    return replace(past, stages=MappingProxyType({**past.stages, name: mine}))


def _measured(past: WorkspaceHistory, event: Measured) -> WorkspaceHistory:
    if event.what != CIRCLES:  # said once, it is forgotten when the stage starts again
        past = _stage(past, event.stage, measured=True)
    if event.what == TAKEN_IN and event.facts.get("tip"):
        past = replace(past, taken_in=str(event.facts["tip"]))
    if event.outcome == "pass" and event.what in ("exit", TAKEN_IN):
        return _settled(_touched(past, event.stage), event.tree)
    return past


def built_on(state: State, stage: str) -> str:
    """The commit of the last stage before this one that made one; the base commit when there is none."""
    task = state.the_task()
    commit = task.base_commit
    for earlier in task.pipeline.stages:
        if earlier.name == stage:
            break
        mine = state.stage(earlier.name)
        commit = mine.commit if mine.commit and mine.status == "passed" else commit
    return commit


def untouched(state: State, stage: str) -> bool:
    """Whether a stage starts afresh: then it starts from what was committed, whatever an earlier attempt left."""
    mine = state.stage(stage)
    return mine.steps == 0 and not mine.measured.keys() - {CIRCLES} and not mine.commit


def _begun(past: WorkspaceHistory, event: StageStarted) -> WorkspaceHistory:
    """A stage on other inputs starts afresh, and so does one of which nothing was measured or committed yet."""
    mine = past.stages.get(event.stage, StageFiles())
    if mine.inputs != event.inputs:
        mine = StageFiles(event.inputs)
    past = _stage(past, event.stage, inputs=mine.inputs, measured=mine.measured, commit=mine.commit, passed=False)
    afresh = not mine.measured and not mine.commit
    return replace(past, begun=(event.stage, _before(past, event.stage)) if afresh else ("", ""))


def _before(past: WorkspaceHistory, name: str) -> str:
    earlier = past.order[: past.order.index(name)] if name in past.order else ()
    known = [past.stages[one].commit for one in earlier if one in past.stages and past.stages[one].passed]
    return next((commit for commit in reversed(known) if commit), past.base)


def _touched(past: WorkspaceHistory, stage: str) -> WorkspaceHistory:
    """The first look of a fresh stage at its files goes back to the commit it builds on."""
    name, commit = past.begun
    if name != stage:
        return past
    done = FileDeeds(FreshStart(commit), past.done)
    return replace(past, begun=("", ""), tip=commit, tree="", open=(), fresh=0, done=done)


def _settled(past: WorkspaceHistory, tree: str) -> WorkspaceHistory:
    if tree == past.tree and not past.open:
        return past
    done = FileDeeds(Edited(past.open, past.fresh, tree), past.done)
    return replace(past, tree=tree, open=(), fresh=0, done=done)
