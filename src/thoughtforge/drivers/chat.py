"""Stages in which a person and an agent agree on something in chat: distill and spec."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from thoughtforge.agent.means import Means
from thoughtforge.intake.distilling import distil
from thoughtforge.intake.proposing import propose
from thoughtforge.intake.realigning import answer_in_dump
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Asked, Made


async def work(means: Means, stage: Stage) -> Made | Asked:
    """One version for the person to look at; the engine shows it and waits for their word."""
    answer_in_dump(means)
    return await TALKS[stage.output_contract](means, stage)


TALKS: dict[str, Callable[[Means, Stage], Awaitable[Made]]] = {"intent": distil, "proposal": propose}
"""Output contract → how it is agreed on."""
