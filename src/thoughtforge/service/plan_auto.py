"""The setting plan.auto_implement: run the phases of a plan at once after its approval, unless something forbids it."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.forge.phases import files_of
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.service.app import App
from thoughtforge.service.plan_commands import PlanChange, ask, running
from thoughtforge.workspaces.git import Git, find_repository


async def implement_at_once(app: App, change: PlanChange) -> PlanChange:
    """Ask for all phases of a plan that was just approved; what forbids that is told with the command for it."""
    if not app.loaded.config.plan.auto_implement:
        return change
    git = Git(await find_repository(app.cwd, path=app.search_path), path=app.search_path)
    task = app.store.peek(change.plan)
    plan = task.snapshot.of(PLAN)
    files = files_of(whole(task.blobs, plan)).paths
    against = forbidden(plan, files, dirty=await git.dirty(), others=tuple(running(app)))
    if not against:
        return ask(app, change.plan, "all")._replace(notes=change.notes)
    told = tuple(f"not implemented at once: {why}" for why in against)
    do = change.next_action if plan.stale else f"Run its phases: thoughtforge plan run-all {change.plan}"
    return change._replace(notes=(*change.notes, *told), next_action=do)


def forbidden(
    plan: ChangePlan, files: Sequence[str], *, dirty: Sequence[str], others: Sequence[str]
) -> tuple[str, ...]:
    """Why a plan waits for the command of a person."""
    found = []
    last = plan.audits[-1] if plan.audits else None
    if last is None or (plan.approved is not None and plan.approved.unaudited):
        found.append("no audit stands behind the approval")
    elif plan.changed:
        found.append("the plan was edited after its last audit")
    elif last.outcome != "pass":
        found.append(f"its last audit ended as {last.outcome.replace('_', ' ')}")
    if plan.stale:
        found.append("its phases are older than the plan")
    if changed := [path for path in files if _is_dirty(path, dirty)]:
        found.append(f"you have uncommitted changes in {', '.join(changed)}")
    if others:
        found.append(f"{', '.join(others)} runs now")
    return tuple(found)


def _is_dirty(path: str, dirty: Sequence[str]) -> bool:
    """Whether a path is not committed as it is; git names a new folder with a slash at its end."""
    return any(path == one or (one.endswith("/") and path.startswith(one)) for one in dirty)
