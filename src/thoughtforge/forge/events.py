"""The facts of a change plan: its text, its audits, its approval, its phases."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Literal

from thoughtforge.forge.findings import AuditSeverity
from thoughtforge.forge.phase import PhaseKind
from thoughtforge.forge.status import PlanStatus
from thoughtforge.kernel import stops
from thoughtforge.kernel.events import Event, register
from thoughtforge.kernel.fold import changes, clear_stop, with_stage
from thoughtforge.kernel.model import Criterion, Digest, Value
from thoughtforge.kernel.state import State


class PlanMade(Event):
    """A change plan began: its file, and the text the template gives it."""

    type: Literal["plan_made"] = "plan_made"
    file: str
    """The name of its file in the folder of plans."""
    title: str
    text: Digest
    meaning: str = ""
    """What the template alone means."""


class PlanWritten(Event):
    """The text of the plan is another one."""

    type: Literal["plan_written"] = "plan_written"
    at_rest = True
    text: Digest
    """The whole file."""
    meaning: str
    """16 hex digits of what the plan means; status, audit log and notes are no part of it."""
    by: Literal["drafter", "reviser", "person", "engine"]
    who: str = ""
    answers: dict[str, str] = {}
    """Finding → what the reviser says of it."""
    file: str = ""
    """The name a person gave the file; empty while it keeps the one it has."""


class PlanResearched(Event):
    """The research turn is over; the artifact turn comes next."""

    type: Literal["plan_researched"] = "plan_researched"
    stage: str
    notes: Digest


class DraftRefused(Event):
    """A draft was not taken, and why."""

    type: Literal["draft_refused"] = "draft_refused"
    why: str


class AuditPoint(Value):
    """One finding of an audit, with the id it keeps over all rounds."""

    id: str
    severity: AuditSeverity
    description: str
    location: str = ""
    title: str = ""
    recommendation: str = ""


class PlanAudited(Event):
    """An audit of the plan's text, and what the engine made of the answer."""

    type: Literal["plan_audited"] = "plan_audited"
    stage: str
    round: int
    """Counts from 1 for each time the plan is a draft."""
    answer: Digest | None
    """What the auditor said; None when the structure failed before a model was asked."""
    severity: AuditSeverity | Literal["none"]
    source: Literal["json", "marker", "phrase", "unrecognised", "engine"]
    findings: tuple[AuditPoint, ...] = ()
    text: Digest
    """The file with this review in its audit log."""
    outcome: Literal["pass", "revise", "cap_reached", "unparsed", "surviving"]
    auditor: str = ""


class PlanMoved(Event):
    """The status of the plan changed, and why."""

    type: Literal["plan_moved"] = "plan_moved"
    at_rest = True
    before: PlanStatus
    after: PlanStatus
    why: str
    by: str = ""


class PlanApproved(Event):
    """A person approved what the plan means, for the commit they stood at."""

    type: Literal["plan_approved"] = "plan_approved"
    at_rest = True
    meaning: str
    base_commit: str
    unaudited: str = ""
    """Why the person approves without an audit."""
    edited: bool = False
    """Whether the meaning is another than the one audited last."""
    by: str = ""


class PhasePlanned(Value):
    """One phase as the plan asks for it."""

    id: str
    title: str
    kind: PhaseKind
    description: str
    depends_on: tuple[str, ...] = ()
    context_files: tuple[str, ...] = ()
    change_spec: str = ""


class PhasesMade(Event):
    """The plan was taken apart into phases. Those that are kept keep their state."""

    type: Literal["phases_made"] = "phases_made"
    at_rest = True
    meaning: str
    phases: tuple[PhasePlanned, ...]
    kept: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


class PlanAsked(Event):
    """What a person wants done: forge it, audit it once, run the next phase, one of them, or all until a stop."""

    type: Literal["plan_asked"] = "plan_asked"
    at_rest = True
    what: Literal["forge", "audit", "next", "one", "all"]
    phase: str = ""
    by: str = ""


class FilesTouched(Event):
    """Somebody changed files of a failed phase before it began again; they stay as that person left them."""

    type: Literal["files_touched"] = "files_touched"
    stage: str
    phase: str
    files: dict[str, str]
    """Path → blob of what is in it; empty for a file that was removed."""


class PhaseStarted(Event):
    """Work on a phase begins, or begins again after it failed."""

    type: Literal["phase_started"] = "phase_started"
    stage: str
    phase: str
    left: tuple[str, ...] = ()
    """Files of the failed attempt that somebody touched since; they were not reverted."""


class PhaseEnded(Event):
    """A phase is over: done with its commit, failed with what it left, or skipped by a person."""

    type: Literal["phase_ended"] = "phase_ended"
    stage: str
    phase: str
    outcome: Literal["done", "failed", "skipped"]
    commit: str = ""
    files: tuple[str, ...] = ()
    hashes: dict[str, str] = {}
    """Path → digest of each changed file as a failed phase left it; empty for one that is gone."""
    untouched: dict[str, str] = {}
    """The same for the other files that a failed phase may change."""
    error: str = ""
    output: str = ""
    """What the agent said of its work, for the phases after it."""
    evidence: tuple[Criterion, ...] = ()
    """What was run, and how it stood."""
    owed: tuple[str, ...] = ()
    """Tests that passed before the plan and fail after this phase."""
    by: str = ""
    reason: str = ""
    """Why a person goes on without it."""


class PhaseAudited(Event):
    """A closing audit of the implementation: what the commands of the plan said, and what the auditor found."""

    type: Literal["phase_audited"] = "phase_audited"
    stage: str
    phase: str
    round: int
    answer: Digest
    severity: AuditSeverity | Literal["none"]
    source: Literal["json", "marker", "phrase", "unrecognised"]
    findings: tuple[AuditPoint, ...] = ()
    tested: tuple[Criterion, ...] = ()
    """Each command of the Testing section, and how it ended; then the tests of the repository."""
    owed: tuple[str, ...] = ()
    """Tests that passed before the plan and fail now."""
    outcome: Literal["pass", "fix", "failed"]
    auditor: str = ""


class PhaseFixed(Event):
    """A fix round after a closing audit."""

    type: Literal["phase_fixed"] = "phase_fixed"
    stage: str
    phase: str
    round: int
    outcome: Literal["done", "refused"]
    commit: str = ""
    why: str = ""
    summary: str = ""
    """What the agent says it did."""


class FileNeeded(Event):
    """A phase needs a file outside its batch; the named escalation asks a person."""

    type: Literal["file_needed"] = "file_needed"
    stage: str
    phase: str
    path: str
    reason: str
    escalation: str


class PlanStop(StrEnum):
    """Why a change plan stops."""

    phase_done = "phase_done"
    phase_failed = "phase_failed"
    plan_stale = "plan_stale"
    plan_unparsed = "plan_unparsed"
    plan_blocked = "plan_blocked"
    plan_failed = "plan_failed"


def _decided(state: State, event: PlanMoved | PlanApproved | PlanAsked) -> State:
    """What a person decided is not waited for any more; a cancelled plan that is taken up again can run again."""
    if isinstance(event, PlanMoved) and event.after is PlanStatus.closed:
        return state
    state = replace(state, awaiting=None)
    reopened = isinstance(event, PlanMoved) and event.before is PlanStatus.cancelled
    return clear_stop(state) if reopened or not state.active else state


def _anew(state: State, event: PhaseStarted | PhaseAudited | PhaseFixed | PlanResearched) -> State:
    """Every piece of work has all the steps of a stage, and no verdict of the piece before."""
    kept = {what: found for what, found in state.stage(event.stage).measured.items() if what not in ("exit", "edit")}
    return with_stage(state, event.stage, steps=0, measured=kept)


def _asked_for(state: State, event: FileNeeded) -> State:
    """What the exit said of a file that is asked for is old as soon as a person has answered."""
    kept = {what: found for what, found in state.stage(event.stage).measured.items() if what != "exit"}
    return with_stage(state, event.stage, measured=kept)


register(
    *(PlanMade, PlanWritten, PlanResearched, DraftRefused, PlanAudited, PlanMoved, PlanApproved),
    *(PhasesMade, PlanAsked, FilesTouched, PhaseStarted, PhaseEnded, PhaseAudited, PhaseFixed, FileNeeded),
)
changes(
    {
        PlanMoved: _decided,
        PlanApproved: _decided,
        PlanAsked: _decided,
        PhaseStarted: _anew,
        PhaseAudited: _anew,
        PhaseFixed: _anew,
        PlanResearched: _anew,
        FileNeeded: _asked_for,
        PlanAudited: lambda state, event: with_stage(state, event.stage, steps=0),
    }
)
stops.register(
    {
        PlanStop.phase_done: stops.PERSON,
        PlanStop.phase_failed: stops.HALTED,
        PlanStop.plan_stale: stops.REFUSED,
        PlanStop.plan_unparsed: stops.PERSON,
        PlanStop.plan_blocked: stops.PERSON,
        PlanStop.plan_failed: stops.HALTED,
    }
)
