"""The stage that writes a change plan: research, draft, audit and revise in turn, until a person can approve it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


NEEDS = frozenset({"plan"})
ROLES = ("auditor", "reviser")
WRITES = "nothing"


class Options(Value):
    """What a stage of a pipeline may set: nothing yet."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Forge until a person has approved the plan."""
    from thoughtforge.stages.forge import work

    return await work(run, stage)
