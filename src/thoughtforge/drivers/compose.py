"""The stage that builds what was confirmed: the folder of its type says how."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run

NEEDS = frozenset({"project"})
WRITES = "product"


class Options(Value):
    """What a stage of a pipeline may set: nothing yet."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Build what the confirmed intent asks for."""
    from thoughtforge.think.deliverable import confirmed

    return await confirmed(run).compose(run, stage)
