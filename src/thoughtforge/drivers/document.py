"""A stage whose artifact is written in one call: intake and spec."""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.agent.answer import json_object
from thoughtforge.agent.calls import Order, call
from thoughtforge.agent.context import Block
from thoughtforge.agent.frame import context_for, feedback_blocks, input_blocks, repository_map, system_for
from thoughtforge.agent.means import Means, allowed
from thoughtforge.agent.outline import outline
from thoughtforge.contracts.dependencies import normalise_dependencies
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Asked, Made


async def work(means: Means, stage: Stage) -> Made | Asked:
    """One answer, completed with what only the engine knows. Whether it is any good is the gate's business."""
    agent = means.agent(stage.role)
    system = system_for(means, agent, stage, {})
    prompt = means.catalog.render(stage.name)
    contract = means.contracts[stage.output_contract]
    blocks = [
        Block("what to do now", prompt.text, 420, floor=420),
        Block(f"form of {contract.name}", outline(contract.schema), 1_000, floor=1_000),
        *feedback_blocks(means, stage),
        *input_blocks(means),
        Block("files of the repository", repository_map(means.tree), 4_000, floor=100, untrusted=True),
    ]
    actions = f"Answer with one JSON object, the {contract.name}, and nothing else."
    context = context_for(means, agent, stage, system=system, blocks=blocks, actions=actions)
    mine = means.stage(stage.name)
    prompts = {**system.prompts, stage.name: prompt.digest}
    schema = _asked_for(contract.schema, FILLED.get(contract.name, ()))
    order = Order(f"{stage.name}/{mine.round}/artifact", stage, agent, system, context, prompts, schema=schema)
    await allowed(means, "write", {"contract": contract.name})
    reply = await call(means, order)
    artifact = json_object(reply)
    ids = tuple(issue for item in mine.feedback for issue in item.ids)
    if artifact is None:
        return Made(means.put(reply), ids)  # the gate says what is wrong with it
    fill = FILL.get(stage.output_contract)
    return Made(means.put(fill(means, artifact) if fill else artifact), ids)


def _asked_for(schema: JsonObject, filled: tuple[str, ...]) -> JsonObject:
    """The schema without demands on what the engine fills in: providers that enforce it would send answers back."""
    properties = {**schema.get("properties", {}), **{name: {} for name in filled}}
    needed = [name for name in schema.get("required", []) if name not in filled]
    return {**schema, "properties": properties, "required": needed} if filled else schema


def _intake(means: Means, artifact: JsonObject) -> JsonObject:
    task = means.task
    used = means.journal.state.used
    return {
        **artifact,
        "request_id": task.id,
        "original_request": means.request(),
        "metadata": {"intake_timestamp": task.created_at, "tokens_used": used.tokens},
    }


def _specification(means: Means, artifact: JsonObject) -> JsonObject:
    filled = {**artifact, "spec_id": f"SPEC-{means.task.request_digest[:8]}"}
    named = filled.get("dependencies")
    if isinstance(named, list) and all(isinstance(name, str) for name in named):
        filled["dependencies"] = normalise_dependencies(named)
    return filled


FILLED = {"intake_record": ("request_id", "original_request", "metadata"), "specification": ("spec_id",)}
"""Contract → the fields the engine fills in."""
FILL: dict[str, Callable[[Means, JsonObject], JsonObject]] = {
    "intake_record": _intake,
    "specification": _specification,
}
"""Contract → what the engine knows better than any agent."""
