"""The stage that runs the phases of a change plan: what comes next, from the record alone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from thoughtforge.agent.run import Done, Halt, Run, drive
from thoughtforge.forge.events import PhasePlanned, PhasesMade, PlanStop
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.phases import decompose, next_phase
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.status import PlanStatus
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.stages import forge
from thoughtforge.stages.forge import ForgeTurn, ForgeView, plan_now
from thoughtforge.stages.phases_audit import audit, end_audit, finish, fix
from thoughtforge.stages.phases_begin import begin
from thoughtforge.stages.phases_build import PersonAsked, end, implement, read
from thoughtforge.stages.phases_report import report

PHASE_KEYS = ("id", "title", "kind", "description", "depends_on", "context_files", "change_spec")
ACTIVE = (PlanStatus.approved, PlanStatus.implementing, PlanStatus.auditing)


class MakeTurn(NamedTuple):
    """Take the plan apart into phases."""


class BeginTurn(NamedTuple):
    """Begin a phase, or begin one again that failed."""

    phase: PlanPhase


class ReadTurn(NamedTuple):
    """Let an agent read for the phases after it."""

    phase: PlanPhase


class ImplementTurn(NamedTuple):
    """Let an agent change the files of the phase."""

    phase: PlanPhase


class EndTurn(NamedTuple):
    """Put the end of a phase on record whose commit is there already."""

    phase: PlanPhase


class ClosingAuditTurn(NamedTuple):
    """Read the whole change against the plan, and run its commands."""

    phase: PlanPhase


class SettleTurn(NamedTuple):
    """Settle what the closing audit found."""

    phase: PlanPhase


class EndAuditTurn(NamedTuple):
    """Put the end of the closing phase on record."""

    phase: PlanPhase


class FinishTurn(NamedTuple):
    """Every phase is done or skipped: so is the plan."""


PhaseTurn = (
    MakeTurn
    | BeginTurn
    | ReadTurn
    | ImplementTurn
    | EndTurn
    | ClosingAuditTurn
    | SettleTurn
    | EndAuditTurn
    | FinishTurn
    | ForgeTurn
)


class PhasesView(NamedTuple):
    """A plan at work, as the record tells it."""

    id: str
    plan: ChangePlan
    presented: bool


def next_turn(view: PhasesView) -> PhaseTurn | Done | Halt:
    """What comes next in the phases of a plan."""
    plan = view.plan
    if plan.status is PlanStatus.done:
        return Done("done")
    if plan.status not in ACTIVE:
        return forge.next_turn(ForgeView(plan, view.presented))  # edited or taken up again: forged on until approved
    if not plan.phases:
        return MakeTurn()
    if plan.stale:
        return Halt(PlanStop.plan_stale, stale(view.id))
    return _limit(view) or _next(plan)


def stale(plan_id: str) -> str:
    """Why phases of another plan do not run, and what to do."""
    return (
        f"{plan_id} has changed since its phases were made, so they may not be what it asks for now; "
        f"make them anew: thoughtforge plan phases {plan_id} --regenerate. Done phases whose files and specification "
        "are the same stay done; the others are lost, their commits stay"
    )


def _limit(view: PhasesView) -> Halt | None:
    """Where this run ends by what a person asked for, or because a phase failed in it."""
    plan, asked = view.plan, view.plan.asked
    last = plan.ended[-1] if plan.ended else None
    if last is None:
        return None
    if last.outcome == "failed":
        return Halt(PlanStop.phase_failed, f"{last.phase} failed: {last.error}")
    following = next_phase(plan.phases)
    if asked is None or asked.what == "all" or following is None:
        return None
    return Halt(PlanStop.phase_done, f"{last.phase} is {last.outcome}; next is {following.id}: {following.title}")


def _next(plan: ChangePlan) -> PhaseTurn:
    asked = plan.asked
    wanted = plan.phase(asked.phase) if asked is not None and asked.what == "one" else None
    phase = plan.at_work or wanted or next_phase(plan.phases)
    if phase is None:
        return FinishTurn()
    if phase.status != "in-progress":
        return BeginTurn(phase)
    if phase.kind == "read":
        return ReadTurn(phase)
    if phase.kind == "implement":
        return EndTurn(phase) if phase.git_commit else ImplementTurn(phase)
    return _closing(plan, phase)


def _closing(plan: ChangePlan, phase: PlanPhase) -> PhaseTurn:
    """Audit and fix in turn."""
    if len(plan.closing) <= len(plan.fixes):
        return ClosingAuditTurn(phase)
    return SettleTurn(phase) if plan.closing[-1].outcome == "fix" else EndAuditTurn(phase)


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Phase after phase."""

    def look() -> PhasesView:
        return PhasesView(run.record.task.id, plan_now(run), presented=run.record.state.awaiting is not None)

    async def run_turn(turn: PhaseTurn) -> None:
        if isinstance(turn, ForgeTurn):
            await forge.take(run, stage, turn)
        elif isinstance(turn, MakeTurn):
            make(run)
        elif isinstance(turn, FinishTurn):
            await finish(run, stage)
        else:
            await TURNS[type(turn)](run, stage, turn.phase)
        forge.written(run)

    try:
        await drive(look, next_turn, run_turn)
    except PersonAsked as asked:
        return asked.question
    finally:
        forge.written(run)
    return Produced(run.record.put(report(run)))


TURNS: dict[type, Callable[[Run, Stage, PlanPhase], Awaitable[None]]] = {
    BeginTurn: begin,
    ReadTurn: read,
    ImplementTurn: implement,
    EndTurn: end,
    ClosingAuditTurn: audit,
    SettleTurn: fix,
    EndAuditTurn: end_audit,
}


def make(run: Run) -> None:
    """Take the plan apart."""
    plan = run.record.journal.of(PLAN)
    phases = decompose(whole(run.record.blobs, plan), run.library.config.plan.phase_max_files)
    run.record.journal.append(PhasesMade(meaning=plan.meaning, phases=planned(phases)))


def planned(phases: tuple[PlanPhase, ...]) -> tuple[PhasePlanned, ...]:
    """Phases as they are put on record."""
    return tuple(PhasePlanned(**{key: getattr(one, key) for key in PHASE_KEYS}) for one in phases)
