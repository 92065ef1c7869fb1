"""The analyze stage: an agent reads the repository with read-only tools and says what the change touches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.definitions.drivers import prompt_name
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
    """Step until the analysis is complete."""
    from thoughtforge.agent.frame import input_blocks
    from thoughtforge.agent.questions import unfinished
    from thoughtforge.agent.stage_runner import run_agent
    from thoughtforge.agent.steps import Brief, finished

    artifact = finished(run, stage)
    if artifact is None:
        agent = run.library.agent(stage.role)
        brief = Brief(run.library.catalog.render(prompt_name(stage)), input_blocks(run), stage.output_contract)
        end = await run_agent(run, agent, stage, brief=brief, bridge=run.bridge(agent.role))
        if end.artifact is None:
            return NeedsPerson(unfinished(run, stage, end))
        artifact = end.artifact
    return Produced(run.record.put(artifact))
