"""What a person does with a change plan: approve, run, skip, cancel, close, take up again, make phases anew."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from thoughtforge.forge import events as f
from thoughtforge.forge import phases as chain
from thoughtforge.forge.phase import MET
from thoughtforge.forge.place import began, show, take_in, warn, whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.preflight import preflight
from thoughtforge.forge.regenerating import regenerate as regenerated
from thoughtforge.forge.status import PlanStatus, move
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import TaskExtended
from thoughtforge.service.app import App
from thoughtforge.service.messages import absorb, send
from thoughtforge.service.open_task import open_task
from thoughtforge.service.plans import place
from thoughtforge.store.port import OpenTask
from thoughtforge.workspaces.events import WorkspaceDropped
from thoughtforge.workspaces.git import Git, find_repository
from thoughtforge.workspaces.handover import delivery_ref
from thoughtforge.workspaces.workspace import drop

OVER = (PlanStatus.done, PlanStatus.closed)
RUNS = (PlanStatus.approved, PlanStatus.implementing, PlanStatus.auditing)
OPEN = (PlanStatus.draft, PlanStatus.review, *RUNS)
"""Statuses in which a plan can get other phases."""
FIELDS = ("id", "title", "kind", "description", "depends_on", "context_files", "change_spec")


class PlanChange(NamedTuple):
    """What a command did to a plan."""

    plan: str
    status: str
    what: str
    """In a few words."""
    notes: tuple[str, ...] = ()
    next_action: str | None = None
    runs: bool = False
    """Whether the plan runs now."""


@contextmanager
def held(app: App, plan_id: str) -> Iterator[OpenTask]:
    """The plan, while nobody else runs it; what a person changed in its file is on record, and its files follow."""
    with open_task(app.store, plan_id, who=f"{app.program} of {app.who}") as opened:
        absorb(opened.inbox, opened.journal)
        notices = take_in(opened.journal, opened.blobs, place(app), by=app.who)
        warn(opened.journal, notices)
        try:
            yield opened
        finally:
            show(opened.journal, opened.blobs, place(app))
            opened.views.write(opened.journal.state)


def changed(opened: OpenTask, what: str, *notes: str, do: str = "", runs: bool = False) -> PlanChange:
    """What a command did, with what a person can do next."""
    from thoughtforge.service.plan_show import actions
    from thoughtforge.views.next_actions import sentence

    plan = opened.journal.of(PLAN)
    following = None if runs else do or sentence(actions(plan, opened.journal.state, None))
    return PlanChange(opened.id, str(plan.status), what, notes, following, runs)


async def approve(app: App, plan_id: str, *, unaudited: str = "") -> PlanChange:
    """Bind what the plan means now, for the commit the person stands at."""
    git = Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    commit = await git.head()
    with held(app, plan_id) as opened:
        plan = opened.journal.of(PLAN)
        _check_approval(plan_id, plan, opened, unaudited=unaudited)
        if unaudited and plan.status is PlanStatus.draft:
            why = f"without an audit: {unaudited}"
            opened.journal.append(f.PlanMoved(before=PlanStatus.draft, after=PlanStatus.review, why=why, by=app.who))
        _rebase(opened, commit)
        base = opened.journal.state.the_task().base_commit
        approved = f.PlanApproved(
            meaning=plan.meaning, base_commit=base, unaudited=unaudited, edited=plan.edited, by=app.who
        )
        opened.journal.append(approved)
        notes = [f"its workspace stays at {base[:12]}, where its phases began"] if base != commit else []
        notes += ["it was edited since its audit"] if plan.edited else []
        return changed(opened, "approved", *notes)


def _check_approval(plan_id: str, plan: ChangePlan, opened: OpenTask, *, unaudited: str) -> None:
    if plan.status is PlanStatus.draft and not unaudited:
        raise UserError(
            f"{plan_id} is DRAFT and cannot become APPROVED",
            do=f"Let it be audited: thoughtforge forge {plan_id}; or approve it without: "
            f"thoughtforge plan approve {plan_id} --unaudited REASON",
        )
    if plan.status is not PlanStatus.draft:
        move(plan_id, plan.status, PlanStatus.approved)
    wrong = preflight(whole(opened.blobs, plan), name=plan.file, template=began(opened.blobs, plan))
    if any(one.severity in ("blocking", "medium") for one in wrong):
        raise UserError(
            f"{plan_id} cannot be approved yet",
            do=f"Edit the plan: thoughtforge plan edit {plan_id}",
            details=tuple(one.line() for one in wrong),
        )


def _rebase(opened: OpenTask, commit: str) -> None:
    """The plan begins from the commit it is approved for, unless one of its phases has begun.

    A workspace in which only assumptions were tried is made anew.
    """
    state, plan = opened.journal.state, opened.journal.of(PLAN)
    task = state.the_task()
    if plan.commits or any(one.status != "pending" for one in plan.phases) or commit == task.base_commit:
        return
    opened.journal.append(TaskExtended(task=task.model_copy(update={"base_commit": commit})))
    if state.branch:
        opened.journal.append(WorkspaceDropped())
        opened.held()
        drop(opened.local)


def ask(app: App, plan_id: str, what: str, *, phase: str = "") -> PlanChange:
    """Put on record what a person wants run; a UserError when it does not fit."""
    app.require_trust()
    with held(app, plan_id) as opened:
        plan = opened.journal.of(PLAN)
        if what in ("next", "one", "all") and not _undelivered(opened):
            _check_run(plan_id, plan, phase if what == "one" else "")
        opened.journal.append(f.PlanAsked.model_validate({"what": what, "phase": phase, "by": app.who}))
        return changed(opened, f"runs {phase or what}", runs=True)


def _undelivered(opened: OpenTask) -> bool:
    """Whether the plan is done and its branch is not in the repository: a crash came between."""
    state = opened.journal.state
    done = opened.journal.of(PLAN).status is PlanStatus.done
    return done and delivery_ref(opened.id) not in state.refs


def _check_run(plan_id: str, plan: ChangePlan, phase: str) -> None:
    """Whether phases of the plan can run now."""
    _check_status(plan_id, plan, RUNS, "its phases run once it is approved")
    if plan.stale:
        raise UserError(
            f"{plan_id} has changed since its phases were made, so they may not be what it asks for now",
            do=f"Make them anew: thoughtforge plan phases {plan_id} --regenerate. Done phases whose files and "
            "specification are the same stay done; the others are lost, their commits stay.",
        )
    if not phase:
        return
    found = plan.phase(phase)
    if found is None:
        known = ", ".join(one.id for one in plan.phases) or "none yet; make them: thoughtforge plan run"
        raise UserError(f"{plan_id} has no phase {phase}", do=f"Phases: {known}")
    if found.status == "skipped":
        raise UserError(f"{phase} is skipped already", do=_back(plan_id, phase))
    if found.status in MET:
        raise UserError(f"{phase} is {found.status} already", do=f"See: thoughtforge plan phases {plan_id}")
    if missing := chain.waiting_for(plan.phases, found):
        raise UserError(f"{phase} waits for {', '.join(missing)}", do=f"Run it first: thoughtforge plan run {plan_id}")


def _check_status(plan_id: str, plan: ChangePlan, wanted: Collection[PlanStatus], why: str) -> None:
    if plan.status not in wanted:
        raise UserError(f"{plan_id} is {plan.status}; {why}", do=_way(plan_id, plan))


def _way(plan_id: str, plan: ChangePlan) -> str:
    """The next command for a plan that does not run."""
    if plan.status is PlanStatus.review:
        return f"Approve it: thoughtforge plan approve {plan_id}"
    if plan.status in (PlanStatus.draft, PlanStatus.cancelled):
        return f"Forge it: thoughtforge forge {plan_id}"
    if plan.status is PlanStatus.done:
        return f"See it: thoughtforge plan show {plan_id}, or put it away: thoughtforge plan close {plan_id}"
    return f"Look: thoughtforge plan show {plan_id}"


def retry(app: App, plan_id: str) -> PlanChange:
    """Run the failed phase once more."""
    plan = app.store.peek(plan_id).snapshot.of(PLAN)
    failed = next((one for one in plan.phases if one.status == "failed"), None)
    if failed is None:
        raise UserError(f"{plan_id} has no failed phase", do=f"Run the next: thoughtforge plan run {plan_id}")
    return ask(app, plan_id, "one", phase=failed.id)


def skip(app: App, plan_id: str, *, reason: str = "") -> PlanChange:
    """Go on without the phase that is in progress or failed; without the closing audit only for a reason."""
    with held(app, plan_id) as opened:
        plan = opened.journal.of(PLAN)
        _check_status(plan_id, plan, RUNS, "no phase of it is skipped")
        found = chain.skipped(plan.phases)
        if found is None:
            raise UserError(
                f"{plan_id} has no phase in progress and none that failed",
                do=f"See: thoughtforge plan phases {plan_id}",
            )
        if found.kind == "audit" and not reason:
            raise UserError(
                f"{found.id} is the closing audit, so {plan_id} would be done without one",
                do=f"Say why, which goes on record: thoughtforge plan skip {plan_id} --reason REASON; or run it again: "
                f"thoughtforge plan retry {plan_id}",
            )
        stage = opened.journal.state.the_task().exit_stage
        opened.journal.append(
            f.PhaseEnded(stage=stage, phase=found.id, outcome="skipped", by=app.who, error=found.error, reason=reason)
        )
        opened.journal.append(f.PlanAsked(what="next", by=app.who))
        left = "what it changed is taken back when the next phase begins"
        return changed(opened, f"{found.id} is skipped; the phases after it can run", left, _back(plan_id, found.id))


def _back(plan_id: str, phase: str) -> str:
    """How a skipped phase is done after all."""
    return f"To do {phase} after all, make it anew: thoughtforge plan phases {plan_id} --regenerate"


def regenerate(app: App, plan_id: str, *, reset: bool = False) -> PlanChange:
    """Make the phases of the plan as it is now."""
    with held(app, plan_id) as opened:
        plan = opened.journal.of(PLAN)
        _check_status(plan_id, plan, OPEN, "its phases stay as they are")
        most = app.loaded.config.plan.phase_max_files
        made = regenerated(plan.phases, whole(opened.blobs, plan), max_files=most, reset=reset)
        planned = tuple(f.PhasePlanned(**{key: getattr(one, key) for key in FIELDS}) for one in made.phases)
        opened.journal.append(f.PhasesMade(meaning=plan.meaning, phases=planned, kept=made.kept, lost=made.lost))
        kept = f"{len(made.kept)} kept" if made.kept else "none kept"
        waits = "" if plan.status in RUNS else _way(plan_id, plan)
        fresh = next((one.id for one in made.phases if one.id not in made.kept), "")
        numbers = [f"new phases begin with {fresh}: an id stays with the work that began under it"] * bool(made.lost)
        return changed(opened, f"{len(made.phases)} phases, {kept}", *made.lost, *numbers, do=waits)


def cancel(app: App, plan_id: str) -> PlanChange:
    """End the plan; the running call ends at once."""
    plan = app.store.peek(plan_id).snapshot.of(PLAN)
    if plan.status in OVER:
        raise UserError(f"{plan_id} is {plan.status} and cannot become CANCELLED", do="It is over already.")
    if plan.status is PlanStatus.cancelled:
        return PlanChange(plan_id, str(plan.status), "it was cancelled already")
    sent = send(app, plan_id, "abort", {})
    if sent.runner:
        return PlanChange(plan_id, str(PlanStatus.cancelled), f"cancelled; {sent.runner} ends its call at once")
    with held(app, plan_id) as opened:
        return changed(opened, "cancelled")


def close(app: App, plan_id: str) -> PlanChange:
    """Put a plan that is done or cancelled away."""
    with held(app, plan_id) as opened:
        plan = opened.journal.of(PLAN)
        after = move(plan_id, plan.status, PlanStatus.closed)
        opened.journal.append(f.PlanMoved(before=plan.status, after=after, why="closed by a person", by=app.who))
        return PlanChange(plan_id, str(after), "closed")


def take_up(app: App, plan_id: str) -> PlanChange:
    """Forge a plan on, from where it stands."""
    app.require_trust()
    with held(app, plan_id) as opened:
        plan, journal = opened.journal.of(PLAN), opened.journal
        if plan.status in OVER:
            raise UserError(f"{plan_id} is {plan.status}", do='Begin another: thoughtforge forge "What you want"')
        if plan.status in RUNS:
            do = f"Run its phases: thoughtforge plan run {plan_id}, or all: thoughtforge plan run-all {plan_id}"
            return changed(opened, f"it is {plan.status}", do=do)
        if plan.status in (PlanStatus.review, PlanStatus.cancelled):
            why = "audited again" if plan.status is PlanStatus.review else "taken up again"
            journal.append(f.PlanMoved(before=plan.status, after=PlanStatus.draft, why=why, by=app.who))
        journal.append(f.PlanAsked(what="forge", by=app.who))
        return changed(opened, "forged on", runs=True)


def audit(app: App, plan_id: str) -> PlanChange:
    """Have the plan audited once, without a revision."""
    app.require_trust()
    with held(app, plan_id) as opened:
        plan, journal = opened.journal.of(PLAN), opened.journal
        if plan.status is PlanStatus.review:
            why = "audited again"
            journal.append(f.PlanMoved(before=plan.status, after=PlanStatus.draft, why=why, by=app.who))
        elif plan.status is not PlanStatus.draft:
            raise UserError(
                f"{plan_id} is {plan.status}; only a plan in DRAFT or REVIEW is audited", do=_way(plan_id, plan)
            )
        if not plan.drafted:
            raise UserError(
                f"{plan_id} has no text of its own yet",
                do=f"Write it: thoughtforge plan edit {plan_id}, or let it be drafted: thoughtforge forge {plan_id}",
            )
        journal.append(f.PlanAsked(what="audit", by=app.who))
        return changed(opened, "audited", runs=True)


def running(app: App) -> dict[str, str]:
    """The plans that a process runs now, and who."""
    from thoughtforge.service.plan_names import plan_ids

    holders = {id: app.store.peek(id).holder() for id in plan_ids(app)}
    return {id: holder for id, holder in holders.items() if holder}


def edited(app: App, plan_id: str) -> PlanChange:
    """Take in what a person wrote into the file."""
    with held(app, plan_id) as opened:
        return changed(opened, "the file is on record")


def path_of(app: App, plan_id: str) -> str:
    """The file of a plan."""
    return str(app.home.plans / app.store.peek(plan_id).snapshot.of(PLAN).file)
