"""The facts of polishing: each review and each fix, and the halts only polishing has."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from thoughtforge.kernel import stops
from thoughtforge.kernel.events import Event, register
from thoughtforge.kernel.fold import changes, with_stage
from thoughtforge.kernel.model import Digest


class PolishReviewed(Event):
    """A review of a thought's deliverable and what the guards made of it."""

    type: Literal["polish_reviewed"] = "polish_reviewed"
    stage: str
    iteration: int
    review: Digest
    """The findings with their ids, the counts, hash and size of the deliverable, and its tests."""
    outcome: Literal["continue", "done", "halt"]
    guard: str = ""
    explanation: str = ""
    commit: str
    heard: int | None = None
    """The number up to which it takes up what a person said; older records do not say, and took up everything."""


class PolishFixed(Event):
    """A fix that was taken, or refused because it was not plausible."""

    type: Literal["polish_fixed"] = "polish_fixed"
    stage: str
    iteration: int
    outcome: Literal["accepted", "rejected"]
    reason: str = ""
    commit: str = ""
    declined: dict[str, str] = {}
    """Points the fixer would not change, each with its reason: the next review answers."""


class PolishStop(StrEnum):
    """Why polishing halts."""

    guard = "guard"
    fix_rejected = "fix_rejected"


register(PolishReviewed, PolishFixed)
changes(
    {  # every piece of polishing has all the steps of a stage
        PolishReviewed: lambda state, event: with_stage(state, event.stage, steps=0),
        PolishFixed: lambda state, event: with_stage(state, event.stage, steps=0),
    }
)
stops.register(dict.fromkeys(PolishStop, stops.HALTED))
