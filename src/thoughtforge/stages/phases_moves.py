"""The status of a plan at work follows its phases, move by move."""

from __future__ import annotations

from thoughtforge.agent.run import Run
from thoughtforge.forge.events import PlanMoved
from thoughtforge.forge.plan import PLAN
from thoughtforge.forge.status import PlanStatus, route


def lead(run: Run, to: PlanStatus, *, why: str) -> None:
    """Lead the plan to a status; where it is already, nothing happens."""
    before = run.record.journal.of(PLAN).status
    for after in route(before, to) if before is not to else ():
        run.record.journal.append(PlanMoved(before=before, after=after, why=why))
        before = after
