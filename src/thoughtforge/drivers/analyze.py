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
    along: str = ""
    """The later stage whose artifact comes in the same answer in a quick run; empty for none."""


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """Step until the analysis is complete; in a quick run it comes with the specification."""
    from thoughtforge.agent.frame import input_blocks, last_version
    from thoughtforge.agent.questions import unfinished
    from thoughtforge.agent.stage_runner import run_agent
    from thoughtforge.agent.steps import Brief, finished
    from thoughtforge.contracts.validate import completed, repaired
    from thoughtforge.stages.relevant import relevant_blocks
    from thoughtforge.stages.together import pair, put_along, split, widened

    artifact, two = finished(run, stage), pair(run, stage)
    if artifact is None:
        agent = run.library.agent(stage.role)
        at, contract = widened(run, stage.output_contract, two) if two else (run, stage.output_contract)
        blocks = [*two.blocks(run), *input_blocks(run), *await relevant_blocks(run)] if two else input_blocks(run)
        brief = Brief(run.library.catalog.render(prompt_name(stage)), blocks, contract)
        end = await run_agent(at, agent, stage, brief=brief, bridge=run.bridge(agent.role))
        if end.artifact is None:
            return NeedsPerson(unfinished(run, stage, end))
        artifact = end.artifact
    analysis, specification = split(run, two, artifact) if two else (artifact, None)
    schema = run.library.contracts[stage.output_contract].schema
    last = last_version(run, stage)
    analysis = completed(schema, repaired(schema, analysis), last)
    if two is None:
        return Produced(run.record.put(analysis))
    made = run.record.put(analysis)
    refused = run.record.stage(stage.name).artifact if last is not None else None
    put_along(run, two, specification, beside=made, refused=refused)
    return Produced(made)
