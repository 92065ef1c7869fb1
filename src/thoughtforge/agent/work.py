"""Work with tools: an agent that acts by itself takes turns, every other model takes steps."""

from __future__ import annotations

from thoughtforge.agent import steps
from thoughtforge.agent.acting import Brief, End
from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.failing import instead
from thoughtforge.agent.means import Agent, Means
from thoughtforge.kernel.errors import Mistake, Stop
from thoughtforge.kernel.model import Stage


async def work(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Until the agent completes or asks, its steps are used up, or it goes in circles."""
    if not getattr(agent.model, "acts", False):
        return await steps.work(means, agent, stage, brief=brief, bridge=bridge)
    from thoughtforge.agent import turns

    try:
        return await turns.work(means, agent, stage, brief=brief, bridge=bridge)
    except (Stop, Mistake) as failed:
        after = instead(means, agent, failed)
    return await work(means, after, stage, brief=brief, bridge=bridge)
