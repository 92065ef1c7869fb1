"""A polish loop as its log tells it: reviews, fixes, halts and resumes. A projection; the log is the only memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from thoughtforge.definitions.drivers import may_be_thought
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Digest, JsonObject
from thoughtforge.kernel.state import Projection, register
from thoughtforge.people.events import REOPEN, ActionAsked, HintGiven
from thoughtforge.polish.events import PolishFixed, PolishReviewed, PolishStop
from thoughtforge.polish.finding import Ran, ReviewFinding
from thoughtforge.polish.history import History, Iteration
from thoughtforge.polish.log_text import LogEntry, Resumed
from thoughtforge.workspaces.events import EditPlanned

STAGE = "polish"
HALTS = tuple(PolishStop)
Load = Callable[[Digest], JsonObject]


@dataclass(frozen=True, slots=True)
class Round:
    """One iteration: its review, and its fix once there is one."""

    review: PolishReviewed
    time: str
    data: JsonObject = field(default_factory=dict)
    """What its blob holds, once it is resolved."""
    fix: PolishFixed | None = None
    planned: tuple[EditPlanned, ...] = ()
    """Writes of its fix that are on record."""
    stopped: tuple[str, ...] = ()
    """Why the task stopped since its review."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The whole loop so far."""

    rounds: tuple[Round, ...] = ()
    stopped: tuple[str, ...] = ()
    """Why the task stopped since the newest review, or before the first."""
    course: tuple[int | Resumed, ...] = ()
    """The numbers of the reviews in order, with the resumes where they happened."""
    overridden: bool = False
    """A person accepts the deliverable as it is."""
    resumed: bool = False
    """A person let it go on after the newest halt."""
    since: int = 0
    """The iteration after which a person last let it go on; guards count from there."""
    spoken: int = 0
    """The number of the newest thing a person said of it, or of their wish for a further round."""
    heard: int = 0
    """Everything up to this number was taken up."""

    @property
    def wanted(self) -> bool:
        """A person wants something that no review has taken up yet."""
        return self.spoken > self.heard

    @property
    def attempts(self) -> Counter[int]:
        """Iteration → how often it was reviewed."""
        return Counter(one for one in self.course if isinstance(one, int))

    @property
    def log(self) -> list[LogEntry | Resumed]:
        """Each iteration as it ended, with the resumes where they happened."""
        by_number = {one.review.iteration: entry_of(one) for one in self.rounds}
        newest = {one: place for place, one in enumerate(self.course) if isinstance(one, int)}
        return [
            one if isinstance(one, Resumed) else by_number[one]
            for place, one in enumerate(self.course)
            if isinstance(one, Resumed) or newest[one] == place
        ]

    @property
    def number(self) -> int:
        """The newest iteration."""
        return self.rounds[-1].review.iteration if self.rounds else 0

    def history(self) -> History:
        """What guards look at."""
        return History(tuple(iteration_of(one.data) for one in self.rounds))

    def rejected(self) -> int:
        """Fixes refused running, since a person last looked."""
        count = 0
        for one in reversed(self.rounds):
            if one.fix is None or one.fix.outcome != "rejected" or PolishStop.fix_rejected in one.stopped:
                break
            count += 1
        return count


def last_refusal(kept: Rounds) -> str:
    """Why the newest fix was refused; empty when it was taken, or there is none."""
    newest = next((one.fix for one in reversed(kept.rounds) if one.fix is not None), None)
    return newest.reason if newest is not None and newest.outcome == "rejected" else ""


def resolved(kept: Rounds, load: Load) -> Rounds:
    """The loop with what the blobs of its reviews hold, which `load` gives."""
    return replace(kept, rounds=tuple(replace(one, data=load(one.review.review)) for one in kept.rounds))


def apply(kept: Rounds, record: e.Record) -> Rounds:
    """The loop after one more record."""
    match record.event:
        case PolishReviewed():
            return _reviewed(kept, record.event, record)
        case PolishFixed() if kept.rounds:
            return _last(kept, fix=record.event)
        case EditPlanned() if kept.rounds and record.event.stage == STAGE:
            return _last(kept, planned=(*kept.rounds[-1].planned, record.event))
        case e.StageStarted() if record.event.stage == STAGE and not kept.rounds:
            return replace(kept, heard=record.seq)  # what was said of the build is told, not taken up
        case HintGiven():
            return replace(kept, spoken=record.seq, since=kept.number)
        case e.RunnerStopped():
            return _stopped(kept, record.event.reason)
        case e.RunnerStarted() if _halted(kept) and not kept.resumed and not kept.overridden:
            return _resumed(kept, record.time)
        case ActionAsked() if record.event.action == "override":
            return replace(kept, overridden=_halted(kept))
        case ActionAsked() if record.event.action == REOPEN and kept.rounds:
            told = Resumed(record.time, "", kept.number)
            course = (*kept.course, told)
            return replace(kept, spoken=record.seq, since=kept.number, overridden=False, course=course)
        case _:
            return kept


def _last(kept: Rounds, **changes: Any) -> Rounds:
    return replace(kept, rounds=(*kept.rounds[:-1], replace(kept.rounds[-1], **changes)))


def _reviewed(kept: Rounds, review: PolishReviewed, record: e.Record) -> Rounds:
    anew = bool(kept.rounds) and kept.number == review.iteration  # its fix failed, and the iteration was begun anew
    before = kept.rounds[:-1] if anew else kept.rounds
    return replace(
        kept,
        rounds=(*before, Round(review, record.time)),
        stopped=(),
        course=(*kept.course, review.iteration),
        overridden=False,
        resumed=False,
        heard=record.seq if review.heard is None else review.heard,
    )


def _stopped(kept: Rounds, reason: str) -> Rounds:
    kept = replace(kept, stopped=(*kept.stopped, reason), resumed=False)
    return _last(kept, stopped=(*kept.rounds[-1].stopped, reason)) if kept.rounds else kept


def _resumed(kept: Rounds, time: str) -> Rounds:
    last = kept.rounds[-1].review
    name = last.guard if last.outcome == "halt" else str(PolishStop.fix_rejected)
    told = Resumed(time, name, last.iteration)
    return replace(kept, resumed=True, since=last.iteration, course=(*kept.course, told))


def _halted(kept: Rounds) -> bool:
    return bool(kept.rounds) and bool(kept.stopped) and kept.stopped[-1] in HALTS


def entry_of(one: Round) -> LogEntry:
    """One iteration for the log people read."""
    iteration = iteration_of(one.data)
    guard = one.review.guard or "none"
    return LogEntry(
        number=one.review.iteration,
        time=one.data["time"],
        counts=iteration.counts,
        guard=guard,
        result=one.review.explanation or one.review.outcome,
        found=iteration.open,
        aside=iteration.aside,
        fixes=_fixes(one),
        tests=Ran(**one.data["tests"]) if one.data["tests"] else None,
        warnings=tuple(one.data["warnings"]),
        notes=tuple(one.data["notes"]),
    )


def _fixes(one: Round) -> str | None:
    if one.fix is None:
        return "" if one.review.outcome != "continue" or not one.data["findings"] else None
    return one.fix.reason if one.fix.outcome == "accepted" else f"rejected: {one.fix.reason}"


def iteration_of(data: JsonObject) -> Iteration:
    """What guards see of a review on record."""
    return Iteration(
        findings=tuple(ReviewFinding(**row) for row in data["findings"]),
        size=data["size"],
        hash=data["hash"],
        full=data["full"],
        tests_passed=data["tests_passed"] is not False,
        refuted=frozenset(data.get("refuted", ())),
        spent=data["spent"],
    )


OF_RUNS = (e.StageStarted, e.RunnerStopped, e.RunnerStarted)
READ = (PolishReviewed, PolishFixed, EditPlanned, *OF_RUNS, ActionAsked, HintGiven)
ROUNDS = register(Projection("rounds", Rounds(), apply, READ, about=may_be_thought))
