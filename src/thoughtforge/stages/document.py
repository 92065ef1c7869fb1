"""A stage whose artifact is written in one call: intake and spec."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from thoughtforge.agent.calls import ModelRequest, call
from thoughtforge.agent.context import MEASURED, WHOLE, Block
from thoughtforge.agent.frame import context_for, feedback_blocks, input_blocks, last_version, notes_before, system_for
from thoughtforge.agent.prompt import outline
from thoughtforge.agent.reply_text import json_object
from thoughtforge.agent.repository_map import map_block
from thoughtforge.agent.run import Run, allowed
from thoughtforge.calls.spending import DEPTH
from thoughtforge.contracts.dependencies import normalise_dependencies
from thoughtforge.contracts.validate import completed, repaired
from thoughtforge.definitions.depth import after_specification
from thoughtforge.definitions.drivers import prompt_name
from thoughtforge.kernel.model import Digest, JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.stages.together import handed_along, pair, put_along, rise, split, wider


async def work(run: Run, stage: Stage, *, fill: str) -> Produced | NeedsPerson:
    """One answer, completed with what only the engine knows. Whether it is any good is the gate's business."""
    known, given = FILLS[fill], handed_along(run, stage)
    made = _filled(run, known, run.record.artifact(given.artifact) or {}) if given else ""
    if made and made not in run.record.stage(stage.name).versions:  # refused once, it is written anew
        return Produced(made)
    two = pair(run, stage)
    agent = run.library.agent(stage.role)
    system = system_for(run, agent, stage, ())
    prompt = run.library.catalog.render(prompt_name(stage))
    contract = run.library.contracts[stage.output_contract]
    if two is not None:
        contract = wider(contract, run.library.contracts[two.contract])
    code = await _code(run) if two else ()
    blocks = [
        Block("what to do now", prompt.text, WHOLE, floor=WHOLE, need=MEASURED),
        Block(
            f"form of {contract.name}",
            outline(_without(contract.schema, known.fields)),
            WHOLE,
            floor=WHOLE,
            need=MEASURED,
        ),
        *(two.blocks(run) if two else ()),
        *feedback_blocks(run, stage),
        *input_blocks(run),
        *notes_before(run, stage),
        *code,
        map_block(run, run.library.tree),
    ]
    actions = f"Answer with one JSON object, the {contract.name}, and nothing else."
    context = context_for(run, agent, stage, system=system, blocks=blocks, actions=actions)
    mine = run.record.stage(stage.name)
    prompts = {**system.prompts, prompt_name(stage): prompt.digest}
    schema, last = _asked_for(contract.schema, known.fields), last_version(run, stage)
    if last is not None:
        schema = {**schema, "required": []}
    order = ModelRequest(f"{stage.name}/{mine.round}/artifact", stage, agent, system, context, prompts, schema=schema)
    await allowed(run, "write", {"contract": contract.name})
    reply = await call(run, order)
    artifact = json_object(reply)
    ids = tuple(issue for item in mine.feedback for issue in item.ids)
    if artifact is None:
        return Produced(run.record.put(reply), ids)  # the gate says what is wrong with it
    artifact, second = split(run, two, artifact) if two else (artifact, None)
    own = _asked_for(run.library.contracts[stage.output_contract].schema, known.fields)
    artifact = completed(own, repaired(own, artifact), last)
    made = _filled(run, known, artifact)
    if two is not None:
        put_along(run, two, second, beside=made, refused=mine.artifact if last is not None else None)
    return Produced(made, ids)


async def _code(run: Run) -> Sequence[Block]:
    """What the request is about; the languages are loaded only where code is searched."""
    from thoughtforge.stages.relevant import relevant_blocks

    return await relevant_blocks(run)


def _filled(run: Run, known: Fill, artifact: JsonObject) -> Digest:
    """The artifact with what the engine knows; a specification also tells how deep the run must go."""
    if known.by is _specification:
        analysis = run.record.accepted().get("analysis", {})
        found = [analysis.get("summary"), [risk.get("description") for risk in analysis.get("risks", ())]]
        rise(run, after_specification(run.record.journal.of(DEPTH), artifact, run.record.request(), found))
    return run.record.put(known.by(run, artifact))


def _asked_for(schema: JsonObject, filled: tuple[str, ...]) -> JsonObject:
    """The schema without demands on what the engine fills in: providers that enforce it would send answers back."""
    properties = {**schema.get("properties", {}), **{name: {} for name in filled}}
    needed = [name for name in schema.get("required", []) if name not in filled]
    return {**schema, "properties": properties, "required": needed} if filled else schema


def _without(schema: JsonObject, filled: tuple[str, ...]) -> JsonObject:
    """The schema without what the engine fills in, as an agent reads it."""
    return {**schema, "properties": {k: v for k, v in schema.get("properties", {}).items() if k not in filled}}


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
