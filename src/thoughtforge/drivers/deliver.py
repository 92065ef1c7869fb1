"""The last stage: words for the readers, the changelog, the whole suite in a clean checkout, the branch, the report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


NEEDS = frozenset({"code"})
WRITES = "documents"


class Options(Value):
    """What a stage of a pipeline may set."""

    prompt: str = ""
    """The prompt it is given; empty takes the one named like the stage."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """One round of the stage."""
    from thoughtforge.stages.deliver import work

    return await work(run, stage)
