"""The stage that reviews and repairs in turn until the guards end it, or a person does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


NEEDS = frozenset({"project"})
ROLES = ("fixer",)
WRITES = "product"


class Options(Value):
    """What a stage of a pipeline may set: nothing yet."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Polish until a guard or a person ends it."""
    from thoughtforge.stages.polish import work

    return await work(run, stage)
