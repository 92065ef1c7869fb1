"""A change plan as people and programs read it: from its record, never from its files."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thoughtforge.forge.phase import MET
from thoughtforge.forge.phases import files_of
from thoughtforge.forge.phases_view import PhasesHead, phases_data, phases_text
from thoughtforge.forge.place import as_shown, whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.status import PlanStatus
from thoughtforge.kernel.errors import LogCorrupt, UserError
from thoughtforge.kernel.model import Criterion
from thoughtforge.kernel.state import State
from thoughtforge.service.plan_names import plan_ids
from thoughtforge.views.next_actions import plan_actions, sentence
from thoughtforge.views.plans import AuditView, PlanDetails, PlanSummary
from thoughtforge.views.tasks import cost
from thoughtforge.views.values import NextAction

if TYPE_CHECKING:
    from thoughtforge.service.app import App


NO_COMMANDS = ("prose", "tests")
"""Rows of a closing audit that are no command of the plan."""
BRANCH = "refs/heads/thoughtforge/"
"""Where the branch of a plan is in a person's repository."""


def summaries(app: App) -> tuple[PlanSummary, ...]:
    """Every plan, by number; one whose record is damaged says so."""
    return tuple(summary(app, id) for id in plan_ids(app))


def summary(app: App, plan_id: str) -> PlanSummary:
    """One plan in a line."""
    task = app.store.peek(plan_id)
    try:
        plan, state = task.snapshot.of(PLAN), task.state
    except LogCorrupt as damage:
        return PlanSummary.damaged(plan_id, str(damage))
    if state.task is None:
        return PlanSummary.damaged(plan_id, "the log has no event")
    return _summary(plan_id, plan, state, task.holder())


def actions(plan: ChangePlan, state: State, runner: str | None) -> tuple[NextAction, ...]:
    """What a person can do with the plan now."""
    runs = plan.status in (PlanStatus.approved, PlanStatus.implementing, PlanStatus.auditing)
    return plan_actions(state, runner, status=str(plan.status), stale=runs and plan.stale)


def _summary(plan_id: str, plan: ChangePlan, state: State, runner: str | None) -> PlanSummary:
    return PlanSummary(
        plan=plan_id,
        title=plan.title,
        status=str(plan.status),
        file=plan.file,
        phases_done=sum(one.status in MET for one in plan.phases),
        phases=len(plan.phases),
        runner=runner,
        next_action=sentence(actions(plan, state, runner)),
    )


def details(app: App, plan_id: str) -> PlanDetails:
    """One plan in full."""
    task = app.store.peek(plan_id)
    plan, state = task.snapshot.of(PLAN), task.state
    runner = task.holder()
    made = state.the_task()
    ref = f"{BRANCH}{plan_id}"
    tested = plan.closing[-1].tested if plan.closing else ()
    return PlanDetails(
        overview=_summary(plan_id, plan, state, runner),
        created=made.created_at,
        project=made.repository,
        base_commit=made.base_commit,
        approved_by=plan.approved.by if plan.approved else None,
        unaudited=plan.approved.unaudited or None if plan.approved else None,
        edited_since_audit=plan.approved.edited if plan.approved else plan.edited,
        stale=plan.stale,
        audits=tuple(_audit(one) for one in plan.audits),
        phases_view=phases_data(_head(plan_id, plan, state), plan.phases) if plan.phases else None,
        closing_findings=tuple(one.model_dump() for one in plan.closing[-1].findings) if plan.closing else (),
        tested=_rows(tested),
        to_allow=_to_allow(app, tested),
        owed=plan.owed,
        deviations=tuple(one._asdict() for one in plan.deviations),
        branch=ref.removeprefix("refs/heads/") if ref in state.refs else None,
        reason=str(state.reason()) if state.reason() else None,
        detail=state.stop_detail or None,
        warnings=(*state.warnings, *files_of(whole(task.blobs, plan)).notices),
        cost=cost(state),
        next_actions=actions(plan, state, runner),
    )


def _rows(tested: Sequence[Criterion]) -> tuple[Mapping[str, str], ...]:
    return tuple({"name": one.name, "outcome": one.outcome, "detail": one.detail} for one in tested)


def _to_allow(app: App, tested: Sequence[Criterion]) -> str | None:
    """What to set for the commands that were not run because nobody allows them."""
    from thoughtforge.code.commands import check_allowed

    wanted: list[str] = []
    for one in tested:
        if one.outcome != "not_run" or one.name in NO_COMMANDS:
            continue
        try:
            words = shlex.split(one.name)
            check_allowed(words, app.loaded.config.commands)
        except UserError:
            wanted.append(words[0])
        except ValueError:
            continue
    if not wanted:
        return None
    rows = ", ".join(f"[{word}]" for word in dict.fromkeys(wanted))
    return f"commands of the plan were not run; allow them in config.yaml, for example commands: [{rows}]"


def _audit(one: Any) -> AuditView:
    found = tuple(point.model_dump() for point in one.findings)
    return AuditView(one.round, one.outcome, one.severity, one.source, one.auditor, found)


def _head(plan_id: str, plan: ChangePlan, state: State) -> PhasesHead:
    return PhasesHead(plan_id, plan.file, plan.made_of, plan.made_at[:10], state.time[:10])


def text(app: App, plan_id: str) -> str:
    """The plan as its file says it."""
    task = app.store.peek(plan_id)
    return app.masker.text(as_shown(task.blobs, task.snapshot.of(PLAN)))


def phases(app: App, plan_id: str) -> str:
    """The phases as their file says them; empty before there are any."""
    task = app.store.peek(plan_id)
    plan = task.snapshot.of(PLAN)
    if not plan.phases:
        return ""
    return app.masker.text(phases_text(_head(plan_id, plan, task.state), plan.phases))


def evidence(app: App, plan_id: str) -> Sequence[str]:
    """What was run in each phase, and how it stood."""
    plan = app.store.peek(plan_id).snapshot.of(PLAN)
    return [
        f"{one.id} {row.name}: {row.outcome}{f': {row.detail}' if row.detail else ''}"
        for one in plan.phases
        if one.id in plan.facts
        for row in plan.facts[one.id].evidence
    ]
