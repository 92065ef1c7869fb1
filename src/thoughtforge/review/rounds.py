"""A polish loop as its log tells it: reviews, fixes, halts and resumes. Pure; the log is the only memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Digest, JsonObject
from thoughtforge.kernel.stops import StopReason
from thoughtforge.review.finding import Counts, Finding, Ran
from thoughtforge.review.history import History, Iteration
from thoughtforge.review.log_text import Entry, Resumed

STAGE = "polish"
HALTS = (StopReason.guard, StopReason.fix_rejected)
Load = Callable[[Digest], JsonObject]


@dataclass
class Round:
    """One iteration: its review, and its fix once there is one."""

    review: e.PolishReviewed
    data: JsonObject
    time: str
    fix: e.PolishFixed | None = None
    planned: list[e.EditPlanned] = field(default_factory=list)
    """Writes of its fix that are on record."""
    stopped: list[str] = field(default_factory=list)
    """Why the task rested since its review."""


@dataclass
class Rounds:
    """The whole loop so far."""

    rounds: list[Round] = field(default_factory=list)
    stopped: list[str] = field(default_factory=list)
    """Why the task rested since the newest review, or before the first."""
    log: list[Entry | Resumed] = field(default_factory=list)
    overridden: bool = False
    """A person accepts the deliverable as it is."""
    resumed: bool = False
    """A person let it go on after the newest halt."""
    since: int = 0
    """The iteration after which a person last let it go on; guards count from there."""
    attempts: dict[int, int] = field(default_factory=dict)
    """Iteration → how often it was reviewed."""

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
            if one.fix is None or one.fix.outcome != "rejected" or StopReason.fix_rejected in one.stopped:
                break
            count += 1
        return count


def read_rounds(records: Iterable[e.Record], load: Load) -> Rounds:
    """The loop on record."""
    found = Rounds()
    for record in records:
        match record.event:
            case e.PolishReviewed():
                _reviewed(found, record.event, load(record.event.review), record.time)
            case e.PolishFixed() if found.rounds:
                found.rounds[-1].fix = record.event
            case e.EditPlanned() if found.rounds and record.event.stage == STAGE:
                found.rounds[-1].planned.append(record.event)
            case e.RunnerStopped():
                _stopped(found, record.event)
            case e.RunnerStarted() if _halted(found) and not found.resumed and not found.overridden:
                found.resumed, last = True, found.rounds[-1]
                found.since = last.review.iteration
                name = last.review.guard if last.review.outcome == "halt" else str(StopReason.fix_rejected)
                found.log.append(Resumed(record.time, name, last.review.iteration))
            case e.ActionAsked() if record.event.action == "override":
                found.overridden = _halted(found)
    found.log = _log(found)
    return found


def _reviewed(found: Rounds, review: e.PolishReviewed, data: JsonObject, time: str) -> None:
    if found.rounds and found.number == review.iteration:
        found.rounds.pop()  # its fix failed, and the iteration was begun anew
    found.attempts[review.iteration] = found.attempts.get(review.iteration, 0) + 1
    found.rounds.append(Round(review, data, time))
    found.stopped, found.overridden, found.resumed = [], False, False
    found.log.append(Entry(review.iteration, time, Counts(0, 0, 0), "", ""))


def _stopped(found: Rounds, event: e.RunnerStopped) -> None:
    found.stopped.append(event.reason)
    found.resumed = False
    if found.rounds:
        found.rounds[-1].stopped.append(event.reason)


def _halted(found: Rounds) -> bool:
    return bool(found.rounds) and bool(found.stopped) and found.stopped[-1] in HALTS


def _log(found: Rounds) -> list[Entry | Resumed]:
    """Each iteration as it ended, with the resumes where they happened."""
    by_number = {one.review.iteration: entry_of(one) for one in found.rounds}
    newest = {one.number: place for place, one in enumerate(found.log) if isinstance(one, Entry)}
    return [
        by_number[one.number] if isinstance(one, Entry) else one
        for place, one in enumerate(found.log)
        if isinstance(one, Resumed) or newest[one.number] == place
    ]


def entry_of(one: Round) -> Entry:
    """One iteration for the log people read."""
    iteration = iteration_of(one.data)
    guard = one.review.guard or "none"
    return Entry(
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
        findings=tuple(Finding(**row) for row in data["findings"]),
        size=data["size"],
        hash=data["hash"],
        full=data["full"],
        tests_passed=data["tests_passed"] is not False,
        spent=data["spent"],
    )
