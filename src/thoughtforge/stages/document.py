"""A stage whose artifact is written in one call: intake and spec."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from thoughtforge.agent.calls import ModelRequest, call, json_object
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import context_for, feedback_blocks, input_blocks, repository_map, system_for
from thoughtforge.agent.prompt import outline
from thoughtforge.agent.run import Run, allowed
from thoughtforge.contracts.dependencies import normalise_dependencies
from thoughtforge.definitions.drivers import prompt_name
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced


async def work(run: Run, stage: Stage, *, fill: str) -> Produced | NeedsPerson:
    """One answer, completed with what only the engine knows. Whether it is any good is the gate's business."""
    agent = run.library.agent(stage.role)
    system = system_for(run, agent, stage, {})
    prompt = run.library.catalog.render(prompt_name(stage))
    contract = run.library.contracts[stage.output_contract]
    blocks = [
        Block("what to do now", prompt.text, 420, floor=420),
        Block(f"form of {contract.name}", outline(contract.schema), 1_000, floor=1_000),
        *feedback_blocks(run, stage),
        *input_blocks(run),
        Block("files of the repository", repository_map(run.library.tree), 4_000, floor=100, untrusted=True),
    ]
    actions = f"Answer with one JSON object, the {contract.name}, and nothing else."
    context = context_for(run, agent, stage, system=system, blocks=blocks, actions=actions)
    mine = run.record.stage(stage.name)
    prompts = {**system.prompts, prompt_name(stage): prompt.digest}
    known = FILLS[fill]
    schema = _asked_for(contract.schema, known.fields)
    order = ModelRequest(f"{stage.name}/{mine.round}/artifact", stage, agent, system, context, prompts, schema=schema)
    await allowed(run, "write", {"contract": contract.name})
    reply = await call(run, order)
    artifact = json_object(reply)
    ids = tuple(issue for item in mine.feedback for issue in item.ids)
    if artifact is None:
        return Produced(run.record.put(reply), ids)  # the gate says what is wrong with it
    return Produced(run.record.put(known.by(run, artifact)), ids)


def _asked_for(schema: JsonObject, filled: tuple[str, ...]) -> JsonObject:
    """The schema without demands on what the engine fills in: providers that enforce it would send answers back."""
    properties = {**schema.get("properties", {}), **{name: {} for name in filled}}
    needed = [name for name in schema.get("required", []) if name not in filled]
    return {**schema, "properties": properties, "required": needed} if filled else schema


def _intake(run: Run, artifact: JsonObject) -> JsonObject:
    task = run.record.task
    used = run.record.journal.state.used
    return {
        **artifact,
        "request_id": task.id,
        "original_request": run.record.request(),
        "metadata": {"intake_timestamp": task.created_at, "tokens_used": used.tokens},
    }


def _specification(run: Run, artifact: JsonObject) -> JsonObject:
    filled = {**artifact, "spec_id": f"SPEC-{run.record.task.request_digest[:8]}"}
    named = filled.get("dependencies")
    if isinstance(named, list) and all(isinstance(name, str) for name in named):
        filled["dependencies"] = normalise_dependencies(named)
    return filled


class Fill(NamedTuple):
    """What the engine knows better than any agent: the fields, and who fills them in."""

    fields: tuple[str, ...]
    by: Callable[[Run, JsonObject], JsonObject]


FILLS = {
    "nothing": Fill((), lambda run, artifact: artifact),
    "intake": Fill(("request_id", "original_request", "metadata"), _intake),
    "specification": Fill(("spec_id",), _specification),
}
"""The option `fill` of a stage → what is filled in."""
