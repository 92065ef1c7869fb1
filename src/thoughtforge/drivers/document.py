"""A stage whose artifact is written in one call: intake and spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from thoughtforge.definitions.drivers import options_of
from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run


WRITES = "nothing"


class Options(Value):
    """What a stage of a pipeline may set."""

    prompt: str = ""
    """The prompt it is given; empty takes the one named like the stage."""
    fill: Literal["nothing", "intake", "specification"] = "nothing"
    """What the engine fills in because it knows it better: the facts of the request, or the id of a specification."""
    along: str = ""
    """The later stage whose artifact comes in the same answer in a quick run; empty for none."""
    quick_review: bool = True
    """Whether a quick run holds its reviews before it turns out to be larger or sensitive."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """One answer, completed with what only the engine knows."""
    from thoughtforge.stages.document import work

    return await work(run, stage, fill=options_of(stage, Options).fill)
