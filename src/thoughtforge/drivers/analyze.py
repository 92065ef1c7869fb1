"""The analyze stage: an agent reads the repository with read-only tools and says what the change touches."""

from __future__ import annotations

from thoughtforge.agent.acting import Brief, finished
from thoughtforge.agent.frame import input_blocks
from thoughtforge.agent.means import Means
from thoughtforge.agent.questions import unfinished
from thoughtforge.agent.work import work as take_up
from thoughtforge.kernel.model import Stage
from thoughtforge.kernel.ports import Asked, Made


async def work(means: Means, stage: Stage) -> Made | Asked:
    """Step until the analysis is complete."""
    artifact = finished(means, stage)
    if artifact is None:
        agent = means.agent(stage.role)
        bridge = means.bridge(agent.role)
        brief = Brief(means.catalog.render(stage.name), input_blocks(means), stage.output_contract)
        end = await take_up(means, agent, stage, brief=brief, bridge=bridge)
        if end.artifact is None:
            return Asked(unfinished(means, stage, end))
        artifact = end.artifact
    return Made(means.put(artifact))
