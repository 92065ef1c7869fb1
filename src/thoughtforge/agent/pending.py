"""Edits that were planned and whose end is not on record: after a crash they are made, or taken back."""

from __future__ import annotations

from thoughtforge.calls.events import ActionTaken
from thoughtforge.kernel.events import ArtifactMade, Record, StagePassed
from thoughtforge.kernel.projection import Projection, register
from thoughtforge.review.events import PolishFixed, PolishReviewed
from thoughtforge.workspaces.events import CommitMade, EditPlanned

Pending = tuple[EditPlanned, ...]


def apply(kept: Pending, record: Record) -> Pending:
    """The open edits after one more record; whatever ends a step of a stage ends its edits."""
    match record.event:
        case EditPlanned():
            return (*kept, record.event)
        case ActionTaken() | CommitMade() | PolishFixed() | PolishReviewed() | ArtifactMade() | StagePassed():
            stage = record.event.stage
            return tuple(edit for edit in kept if edit.stage != stage) if kept else kept
        case _:
            return kept


PENDING: Projection[Pending] = register(Projection("pending", (), apply))
