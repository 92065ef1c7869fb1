"""The clarify stage: what the repository can answer is answered from it; only the rest reaches a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


WRITES = "nothing"


class Options(Value):
    """What a stage of a pipeline may set."""

    prompt: str = ""
    """The prompt it is given; empty takes the one named like the stage."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Let the agent look for answers, check its evidence, ask a person about what is left, all at once."""
    from thoughtforge.stages.clarify import work

    return await work(run, stage)
