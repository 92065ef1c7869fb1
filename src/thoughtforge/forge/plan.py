"""A change plan as its log tells it: text, audits, status, phases. A projection; the log is the only memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from thoughtforge.definitions.drivers import is_plan
from thoughtforge.forge import events as f
from thoughtforge.forge.findings import AuditFinding
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.status import MOVES, PlanStatus
from thoughtforge.kernel import events as e
from thoughtforge.kernel.fold import plus
from thoughtforge.kernel.model import Criterion, Digest
from thoughtforge.kernel.state import NOTHING, Projection, register
from thoughtforge.people.events import AbortAsked
from thoughtforge.workspaces.events import CommitMade

PHASES = "phases"
"""The stage whose commits are those of phases."""


class Deviation(NamedTuple):
    """What a person allowed beside the plan: a file outside the batch of a phase, or to go on without the phase."""

    phase: str
    path: str
    """Empty when the phase was skipped."""
    reason: str
    by: str


class PhaseFacts(NamedTuple):
    """What the engine measured of a phase."""

    evidence: tuple[Criterion, ...] = ()
    owed: tuple[str, ...] = ()
    """Tests that passed before the plan and failed after it."""
    hashes: Mapping[str, str] = NOTHING
    """Path → digest of each file that a failed phase may change, as it left them; empty for one that is gone."""


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """One plan so far."""

    file: str = ""
    title: str = ""
    status: PlanStatus = PlanStatus.draft
    texts: tuple[Digest, ...] = ()
    """Every version of its text, the newest last; with the status line DRAFT, whatever the status is."""
    meaning: str = ""
    notes: Digest | None = None
    """What the research found."""
    drafted: bool = False
    """Whether somebody wrote what it means; else that is the template's."""
    by_hand: bool = True
    """No agent wrote any of it so far."""
    refused: tuple[str, ...] = ()
    """Why drafts were not taken since the last one that was, or since a person looked."""
    audits: tuple[f.PlanAudited, ...] = ()
    """Since the plan last became a draft."""
    numbered: int = 0
    """All audits of it."""
    audited: str = ""
    """What it meant when an auditor last judged it."""
    changed: bool = False
    """The text was changed since the last audit."""
    approved: f.PlanApproved | None = None
    made_of: str = ""
    """The meaning of the plan when its phases were made."""
    made_at: str = ""
    phases: tuple[PlanPhase, ...] = ()
    facts: Mapping[str, PhaseFacts] = field(default_factory=lambda: NOTHING)
    commits: tuple[str, ...] = ()
    """The commits of its phases and fixes, oldest first."""
    asked: f.PlanAsked | None = None
    """What a person wants of this run; None for everything."""
    ended: tuple[f.PhaseEnded, ...] = ()
    """Phases that ended since a person asked."""
    touched: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Path → blob of the files of the failed phase that somebody changed since."""
    needed: Mapping[str, f.FileNeeded] = field(default_factory=lambda: NOTHING)
    """Files that phases asked for, by the open question."""
    deviations: tuple[Deviation, ...] = ()
    closing: tuple[f.PhaseAudited, ...] = ()
    """Audits of the implementation since the closing phase began."""
    fixes: tuple[f.PhaseFixed, ...] = ()
    answers: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    """Finding → what the reviser said of it last."""
    known: int = 0
    """The highest number of a finding before the closing phase began."""
    restarted: bool = False
    """A person let it go on after it stopped."""

    @property
    def text(self) -> Digest:
        """The newest text."""
        return self.texts[-1]

    @property
    def began(self) -> Digest:
        """The text the template gave it."""
        return self.texts[0]

    @property
    def edited(self) -> bool:
        """Whether an auditor judged another meaning than it has now."""
        return bool(self.audited) and self.audited != self.meaning

    @property
    def stale(self) -> bool:
        """Whether its phases were made of another meaning."""
        return bool(self.phases) and self.made_of != self.meaning

    def phase(self, id: str) -> PlanPhase | None:
        """The phase of that id."""
        return next((one for one in self.phases if one.id == id), None)

    @property
    def at_work(self) -> PlanPhase | None:
        """The phase in progress."""
        return next((one for one in self.phases if one.status == "in-progress"), None)

    @property
    def owed(self) -> tuple[str, ...]:
        """Tests that an earlier phase broke and none has repaid."""
        if self.closing:
            return self.closing[-1].owed
        ended = [self.facts[one.id].owed for one in self.phases if one.status == "done" and one.id in self.facts]
        return ended[-1] if ended else ()

    def allowed(self, phase: str = "") -> tuple[str, ...]:
        """The files beside the plan that a person allowed, for one phase or for all."""
        return tuple(one.path for one in self.deviations if one.path and phase in ("", one.phase))


def findings(points: tuple[f.AuditPoint, ...]) -> tuple[AuditFinding, ...]:
    """The findings on record as values."""
    return tuple(AuditFinding(**point.model_dump()) for point in points)


def points(found: tuple[AuditFinding, ...]) -> tuple[f.AuditPoint, ...]:
    """Findings as they are put on record."""
    return tuple(f.AuditPoint(**finding._asdict()) for finding in found)


def _written(kept: ChangePlan, event: f.PlanWritten) -> ChangePlan:
    another = event.meaning != kept.meaning
    own = event.by in ("drafter", "reviser") or (event.by == "person" and another)
    return replace(
        kept,
        file=event.file or kept.file,
        texts=(*kept.texts, event.text),
        meaning=event.meaning,
        drafted=kept.drafted or own,
        by_hand=kept.by_hand and event.by == "person",
        changed=kept.changed or another or event.by == "reviser",
        refused=(),
        answers={**kept.answers, **event.answers},
    )


def _audited(kept: ChangePlan, event: f.PlanAudited) -> ChangePlan:
    return replace(
        kept,
        texts=(*kept.texts, event.text),
        audits=(*kept.audits, event),
        audited=kept.audited if event.source in ("engine", "unrecognised") else kept.meaning,
        numbered=kept.numbered + 1,
        changed=False,
        restarted=False,
        known=max(kept.known, _highest(event.findings)),
    )


def _highest(found: tuple[f.AuditPoint, ...]) -> int:
    """The highest number of these findings."""
    numbers = (one.id.removeprefix("F-") for one in found)
    return max((int(number) for number in numbers if number.isdecimal()), default=0)


def _closing_over(kept: ChangePlan) -> ChangePlan:
    """Closing audits begin anew; the numbers of their findings go on."""
    highest = max((_highest(one.findings) for one in kept.closing), default=0)
    return replace(kept, closing=(), fixes=(), known=max(kept.known, highest))


def _moved(kept: ChangePlan, event: f.PlanMoved) -> ChangePlan:
    kept = replace(kept, status=event.after)
    if event.after is PlanStatus.draft:  # it is forged anew: rounds are counted from here
        return replace(kept, audits=(), changed=True, refused=(), answers=NOTHING)
    return replace(kept, approved=None) if event.after is PlanStatus.review else kept


def _asked(kept: ChangePlan, event: f.PlanAsked) -> ChangePlan:
    """What was counted in the run before is counted anew; an audit that is asked for is held."""
    changed = kept.changed or event.what == "audit"
    return replace(kept, asked=event, ended=(), refused=(), restarted=True, changed=changed)


def _made(kept: ChangePlan, event: f.PhasesMade, time: str) -> ChangePlan:
    before = {one.id: one for one in kept.phases if one.id in event.kept}
    phases = tuple(before.get(one.id) or PlanPhase(**one.model_dump()) for one in event.phases)
    facts = {id: found for id, found in kept.facts.items() if id in before}
    kept = _closing_over(kept)
    return replace(kept, phases=phases, facts=facts, made_of=event.meaning, made_at=time, ended=())


def _with_phase(kept: ChangePlan, id: str, **changes: Any) -> ChangePlan:
    return replace(kept, phases=tuple(one._replace(**changes) if one.id == id else one for one in kept.phases))


def _started(kept: ChangePlan, event: f.PhaseStarted) -> ChangePlan:
    fresh = {"error": "", "output": "", "git_commit": "", "modified_files": None, "failure_hashes": ()}
    kept = replace(_with_phase(kept, event.phase, status="in-progress", **fresh), touched=NOTHING)
    found = kept.phase(event.phase)
    return _closing_over(kept) if found is not None and found.kind == "audit" else kept


def _ended(kept: ChangePlan, event: f.PhaseEnded) -> ChangePlan:
    kept = _with_phase(
        kept,
        event.phase,
        status=event.outcome,
        error=event.error,
        output=event.output,
        git_commit=event.commit,
        modified_files=event.files,
        failure_hashes=tuple(event.hashes.items()),
    )
    facts = PhaseFacts(event.evidence, event.owed, {**event.hashes, **event.untouched})
    if event.reason:
        beside = Deviation(event.phase, "", event.reason, event.by)
        kept = replace(kept, deviations=(*kept.deviations, beside))
    return replace(kept, facts=plus(kept.facts, event.phase, facts), ended=(*kept.ended, event))


def _resolved(kept: ChangePlan, event: e.EscalationResolved) -> ChangePlan:
    """A person's yes to a file outside the batch."""
    wanted = kept.needed.get(event.id)
    if wanted is None or event.choice != "accept":
        return kept
    allowed = Deviation(wanted.phase, wanted.path, wanted.reason, event.by)
    return replace(kept, deviations=(*kept.deviations, allowed))


def _cancelled(kept: ChangePlan, event: AbortAsked) -> ChangePlan:
    legal = PlanStatus.cancelled in MOVES[kept.status]
    return replace(kept, status=PlanStatus.cancelled) if legal else kept


def _committed(kept: ChangePlan, event: CommitMade) -> ChangePlan:
    if event.stage != PHASES:
        return kept
    kept = replace(kept, commits=(*kept.commits, event.commit))
    at = kept.at_work
    return _with_phase(kept, at.id, git_commit=event.commit) if at is not None else kept


CHANGES: Mapping[type[Any], Callable[[ChangePlan, Any], ChangePlan]] = {
    f.PlanMade: lambda kept, ev: replace(kept, file=ev.file, title=ev.title, texts=(ev.text,), meaning=ev.meaning),
    f.PlanWritten: _written,
    f.PlanResearched: lambda kept, ev: replace(kept, notes=ev.notes),
    f.DraftRefused: lambda kept, ev: replace(kept, refused=(*kept.refused, ev.why)),
    f.PlanAudited: _audited,
    f.PlanMoved: _moved,
    f.PlanApproved: lambda kept, ev: replace(kept, status=PlanStatus.approved, approved=ev),
    f.PlanAsked: _asked,
    f.FilesTouched: lambda kept, ev: replace(kept, touched=ev.files),
    f.PhaseStarted: _started,
    f.PhaseEnded: _ended,
    f.PhaseAudited: lambda kept, ev: replace(kept, closing=(*kept.closing, ev)),
    f.PhaseFixed: lambda kept, ev: replace(kept, fixes=(*kept.fixes, ev)),
    f.FileNeeded: lambda kept, ev: replace(kept, needed=plus(kept.needed, ev.escalation, ev)),
    e.EscalationResolved: _resolved,
    AbortAsked: _cancelled,
    CommitMade: _committed,
    e.RunnerStopped: lambda kept, ev: replace(kept, asked=None, ended=()),
}


def apply(kept: ChangePlan, record: e.Record) -> ChangePlan:
    """The plan after one more record."""
    if isinstance(record.event, f.PhasesMade):
        return _made(kept, record.event, record.time)
    change = CHANGES.get(type(record.event))
    return change(kept, record.event) if change else kept


PLAN: Projection[ChangePlan] = register(
    Projection("plan", ChangePlan(), apply, (*CHANGES, f.PhasesMade), about=is_plan)
)
"""The change plan of a task; empty for every other task."""
