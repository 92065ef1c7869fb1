"""What the record says of a workspace: the files it must hold now, and everything that led to them, in order.

A projection: `EMPTY` and `apply`. An action that ended, an exit that passed and a commit name the tree of files they
left. An edit after the last of them has no end on record: its action is carried out anew, so it does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from thoughtforge.kernel import fold
from thoughtforge.kernel.events import ActionTaken, CommitMade, EditPlanned, Measured, Record, RunnerStarted
from thoughtforge.kernel.events import StageStarted as StageBegun
from thoughtforge.kernel.state import State


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


@dataclass(frozen=True, slots=True)
class Past:
    """A workspace as its record tells it."""

    state: State = fold.EMPTY
    tip: str = ""
    """The commit the branch is at."""
    tree: str = ""
    """The tree of the files; empty for that of the tip."""
    deeds: tuple[FreshStart | Edited | CommitMade, ...] = ()
    open: tuple[EditPlanned, ...] = ()
    """Edits without an end on record."""
    fresh: int = 0
    begun: tuple[str, str] = ("", "")
    """A stage that began afresh and has not touched a file yet, with the commit it goes back to before it does."""


EMPTY = Past()


def past_of(records: Iterable[Record]) -> Past:
    """All of a record."""
    past = EMPTY
    for record in records:
        past = apply(past, record)
    return past


def apply(past: Past, record: Record) -> Past:
    """What one more record adds."""
    event = record.event
    past = replace(past, state=fold.fold_one(past.state, record))
    match event:
        case RunnerStarted():
            return replace(past, fresh=len(past.open))
        case StageBegun():
            return _begun(past, event.stage)
        case EditPlanned():
            past = _touched(past, event.stage)
            return replace(past, open=(*past.open, event))
        case ActionTaken() if event.tree:
            return _settled(_touched(past, event.stage), event.tree)
        case Measured() if event.what == "exit" and event.outcome == "pass":
            return _settled(_touched(past, event.stage), event.tree)
        case CommitMade():
            return replace(past, tip=event.commit, tree=event.tree, deeds=(*past.deeds, event), open=(), fresh=0)
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
    return mine.steps == 0 and not mine.measured and not mine.commit


def _begun(past: Past, stage: str) -> Past:
    afresh = untouched(past.state, stage)
    return replace(past, begun=(stage, built_on(past.state, stage)) if afresh else ("", ""))


def _touched(past: Past, stage: str) -> Past:
    """The first look of a fresh stage at its files goes back to the commit it builds on."""
    name, commit = past.begun
    if name != stage:
        return past
    return replace(past, begun=("", ""), tip=commit, tree="", open=(), fresh=0, deeds=(*past.deeds, FreshStart(commit)))


def _settled(past: Past, tree: str) -> Past:
    if tree == past.tree and not past.open:
        return past
    return replace(past, tree=tree, open=(), fresh=0, deeds=(*past.deeds, Edited(past.open, past.fresh, tree)))
