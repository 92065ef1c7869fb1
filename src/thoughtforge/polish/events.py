"""The facts of polishing: each review and each fix, and the halts only polishing has."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal, NamedTuple

from thoughtforge.kernel import stops
from thoughtforge.kernel.events import Event, Record, register
from thoughtforge.kernel.fold import changes, with_stage
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.state import Projection
from thoughtforge.kernel.state import register as projection


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


class PolishTests(Event):
    """The tests were brought in line with what a person asked for, before its fix."""

    type: Literal["polish_tests"] = "polish_tests"
    stage: str
    iteration: int
    heard: int
    """The number up to which it takes up what the person said."""
    reason: str
    commit: str = ""
    """Of the tests that changed; empty when none did."""
    report: Digest
    """The files of tests there are besides the first ones, and everything that is held back from now on."""


class Retested(NamedTuple):
    """The tests as they were changed last."""

    heard: int = 0
    report: Digest = ""


class PolishStop(StrEnum):
    """Why polishing halts."""

    guard = "guard"
    fix_rejected = "fix_rejected"


def _retested(kept: Retested, record: Record) -> Retested:
    event = record.event
    return Retested(event.heard, event.report) if isinstance(event, PolishTests) else kept


register(PolishReviewed, PolishFixed, PolishTests)
changes(
    {  # every piece of polishing has all the steps of a stage
        PolishReviewed: lambda state, event: with_stage(state, event.stage, steps=0),
        PolishFixed: lambda state, event: with_stage(state, event.stage, steps=0),
        PolishTests: lambda state, event: with_stage(state, event.stage, steps=0),
    }
)
RETESTED: Projection[Retested] = projection(Projection("retested", Retested(), _retested, (PolishTests,)))
stops.register(dict.fromkeys(PolishStop, stops.HALTED))
