"""What every build begins and ends with, whichever deliverable it is."""

from __future__ import annotations

from thoughtforge.agent.asking import by_rules
from thoughtforge.agent.means import Means
from thoughtforge.drivers.compose.plan import compose_plan
from thoughtforge.intake.documents import settle
from thoughtforge.intake.stops import ThoughtStop
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Asked, Made


async def work(means: Means, stage: Stage) -> Made | Asked:
    """Build what the confirmed intent asks for."""
    await settle(means)
    if means.accepted()["intent"]["deliverable_type"] == "plan":
        return await compose_plan(means, stage)
    if by_rules(means.agent(stage.role)):
        raise Stop(ThoughtStop.agent_needed, "code is written by an agent, and none is connected")
    from thoughtforge.drivers.compose.code import compose_code

    return await compose_code(means, stage)
