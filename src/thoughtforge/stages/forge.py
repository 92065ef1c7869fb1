"""The stage that forges a change plan: what comes next, from the record alone, and the stops on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from thoughtforge.agent.run import Done, Halt, Run, drive
from thoughtforge.forge.events import PlanAudited, PlanMoved, PlanStop
from thoughtforge.forge.place import PlanPlace, began, show, take_in, warn, whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.plan_file import body_of
from thoughtforge.forge.status import PlanStatus
from thoughtforge.forge.template import echoes
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import IterationPresented
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.kernel.stops import StopReason
from thoughtforge.stages.forge_turns import audit, draft, research, revise

REFUSALS = 2
"""Drafts that may be refused before a person has to look."""
APPROVABLE = ("pass", "cap_reached", "surviving")
"""Outcomes of an audit after which a person decides."""


class ResearchTurn(NamedTuple):
    """Look at the repository, with few steps and tools that only read."""


class DraftTurn(NamedTuple):
    """Write the plan, without tools."""


class AuditTurn(NamedTuple):
    """Let another role attack it."""


class ReviseTurn(NamedTuple):
    """Settle what the audit found."""


class OfferTurn(NamedTuple):
    """Put the plan before a person."""

    outcome: str


class PresentTurn(NamedTuple):
    """Wait for the approval."""


ForgeTurn = ResearchTurn | DraftTurn | AuditTurn | ReviseTurn | OfferTurn | PresentTurn


class ForgeView(NamedTuple):
    """A plan on its way, as the record tells it."""

    plan: ChangePlan
    presented: bool
    """A person is asked to approve it."""
    unfilled: bool = False
    """A person wrote some sections, and nobody the others; an audit that was asked for says so."""


def next_turn(view: ForgeView) -> ForgeTurn | Done | Halt:
    """What comes next in a forge."""
    plan = view.plan
    if plan.status is PlanStatus.review:
        return Halt(StopReason.approval, "") if view.presented else PresentTurn()
    if plan.status is not PlanStatus.draft:
        return Done(plan.status)
    if not plan.drafted or view.unfilled:
        return _before_draft(plan)
    last = plan.audits[-1] if plan.audits else None
    if last is None or plan.changed:
        return AuditTurn()
    if last.outcome == "unparsed":
        told = "the answer of the auditor could not be read as a verdict, twice; the plan stays a draft"
        return AuditTurn() if plan.restarted else Halt(PlanStop.plan_unparsed, told)
    if last.outcome in APPROVABLE:
        return OfferTurn(last.outcome)
    once = plan.asked is not None and plan.asked.what == "audit"
    return Halt(PlanStop.plan_blocked, named(last)) if once else ReviseTurn()


def _unfilled(run: Run, plan: ChangePlan) -> bool:
    """Whether a forge has sections to draft beside those that a person wrote."""
    once = plan.asked is not None and plan.asked.what == "audit"
    if once or not (plan.drafted and plan.by_hand):
        return False
    return bool(echoes(body_of(whole(run.record.blobs, plan)), began(run.record.blobs, plan)))


def _before_draft(plan: ChangePlan) -> ForgeTurn | Halt:
    if plan.notes is None:
        return ResearchTurn()
    if len(plan.refused) >= REFUSALS:
        return Halt(PlanStop.plan_failed, f"{REFUSALS} drafts were refused: {plan.refused[-1]}")
    return DraftTurn()


def named(audit: PlanAudited) -> str:
    """What blocks, in a sentence."""
    blocking = [point for point in audit.findings if point.severity == "blocking"]
    told = "; ".join(f"{one.id} {one.title or one.description}" for one in blocking)
    return f"{len(blocking)} blocking finding{'s' * (len(blocking) != 1)}: {told}"[:400]


def place_of(run: Run) -> PlanPlace:
    """Where the plan's file lies."""
    if run.plans is None:
        raise Stop(StopReason.bug, "this task is no change plan")
    return run.plans


def plan_now(run: Run) -> ChangePlan:
    """The plan with everything that people did meanwhile; its files follow."""
    run.people.drain_inbox()
    run.record.journal.raise_if_stopped()
    place = place_of(run)
    warn(run.record.journal, take_in(run.record.journal, run.record.blobs, place, by="a person"))
    show(run.record.journal, run.record.blobs, place)
    return run.record.journal.of(PLAN)


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Turn after turn until the plan is approved."""

    def look() -> ForgeView:
        plan = plan_now(run)
        return ForgeView(plan, presented=run.record.state.awaiting is not None, unfilled=_unfilled(run, plan))

    try:
        await drive(look, next_turn, lambda turn: take(run, stage, turn))
    finally:
        written(run)
    plan = run.record.journal.of(PLAN)
    return Produced(run.record.put({"plan": run.record.task.id, "file": plan.file}))


async def take(run: Run, stage: Stage, turn: ForgeTurn) -> None:
    """One turn of a forge."""
    match turn:
        case OfferTurn():
            _to_review(run, turn.outcome)
        case PresentTurn():
            _present(run, stage)
        case _:
            await TURNS[type(turn)](run, stage)
    written(run)


def written(run: Run) -> None:
    """The files follow, so that nobody takes the status of a moment ago for a person's."""
    show(run.record.journal, run.record.blobs, place_of(run))


TURNS: dict[type, Callable[[Run, Stage], Awaitable[None]]] = {
    ResearchTurn: research,
    DraftTurn: draft,
    AuditTurn: audit,
    ReviseTurn: revise,
}


def _to_review(run: Run, outcome: str) -> None:
    last = run.record.journal.of(PLAN).audits[-1]
    why = {
        "pass": f"the audit found nothing blocking (worst: {last.severity})",
        "cap_reached": f"CAP_REACHED after {last.round} audits; {named(last)}",
        "surviving": f"the same findings stood through two revisions; {named(last)}",
    }[outcome]
    moved = PlanMoved(before=PlanStatus.draft, after=PlanStatus.review, why=why)
    run.record.journal.append(moved)


def _present(run: Run, stage: Stage) -> None:
    """Ask a person to approve the text as it is."""
    plan = run.record.journal.of(PLAN)
    again = run.record.stage(stage.name).iteration + 1
    run.record.journal.append(IterationPresented(stage=stage.name, iteration=again, artifact=plan.text))
