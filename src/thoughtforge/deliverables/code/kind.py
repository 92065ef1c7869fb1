"""What the type code offers to the drivers; each part is loaded when it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.think.deliverable import OPERATIONS as EVERY

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run
    from thoughtforge.kernel.model import Stage
    from thoughtforge.kernel.ports import NeedsPerson, Produced
    from thoughtforge.think.deliverable import Deliverable

OPERATIONS = frozenset(EVERY)
TESTED = True
PATH = "."


def belongs(path: str) -> bool:
    """Everything in the project but documents and what was brought along."""
    from thoughtforge.deliverables.code.files import is_code

    return is_code(path)


async def compose(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Build it."""
    from thoughtforge.deliverables.code.composing import compose_code

    return await compose_code(run, stage)


def polished(run: Run, stage: Stage) -> Deliverable:
    """It under review."""
    from thoughtforge.deliverables.code.polishing import CodeDeliverable

    return CodeDeliverable(run, stage)
