"""What the type plan offers to the drivers; each part is loaded when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run
    from thoughtforge.kernel.model import Stage
    from thoughtforge.kernel.ports import NeedsPerson, Produced
    from thoughtforge.think.deliverable import Deliverable

OPERATIONS = frozenset({"file_write_doc", "file_write_state", "git_commit", "agent_text"})
TESTED = False
PATH = "docs/plan.md"


def belongs(path: str) -> bool:
    """The document alone."""
    return path == PATH


async def compose(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Build it."""
    from thoughtforge.deliverables.plan.composing import compose_plan

    return await compose_plan(run, stage)


def polished(run: Run, stage: Stage) -> Deliverable:
    """It under review."""
    from thoughtforge.deliverables.plan.polishing import PlanDeliverable

    return PlanDeliverable(run, stage)
