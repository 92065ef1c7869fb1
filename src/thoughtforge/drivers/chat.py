"""Stages in which a person and an agent agree on something in chat: distill and spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from thoughtforge.definitions.drivers import options_of
from thoughtforge.kernel.model import Stage, Value
from thoughtforge.kernel.ports import NeedsPerson, Produced

if TYPE_CHECKING:
    from thoughtforge.agent.run import Run

NEEDS = frozenset({"project"})
WRITES = "documents"


class Options(Value):
    """What a stage of a pipeline may set."""

    agree_on: Literal["intent", "proposal"]
    """What they agree on: what the person means, or how it is to be done."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """One version for the person to look at; the engine shows it and waits for their word."""
    from thoughtforge.think.distilling import distil
    from thoughtforge.think.proposing import propose
    from thoughtforge.think.talking import answer_in_dump

    answer_in_dump(run)
    agree = {"intent": distil, "proposal": propose}[options_of(stage, Options).agree_on]
    return await agree(run, stage)


async def passed(run: Run, stage: Stage) -> None:
    """Lock what was agreed on: its documents are written and committed."""
    from thoughtforge.think.documents import lock

    await lock(run, stage, options_of(stage, Options).agree_on)
