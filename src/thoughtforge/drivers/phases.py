"""The stage that implements an approved change plan: phase after phase, each with its own commit, then an audit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


NEEDS = frozenset({"code", "plan"})
ROLES = ("auditor", "drafter", "reviser")
WRITES = "product"


class Options(Value):
    """What a stage of a pipeline may set: nothing yet."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Run phases until what was asked is done, or something stops them."""
    from thoughtforge.stages.phases import work

    return await work(run, stage)
