"""Turns a model into a worker: a fresh call per step, one action out, carried out by the bridge, put on record."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.acting import Acted, Brief, End, carry_out, circles, put_on_record
from thoughtforge.agent.answer import json_object
from thoughtforge.agent.bridge import Bridge, describe
from thoughtforge.agent.calls import Order, call
from thoughtforge.agent.context import ERROR_LENGTH, Block
from thoughtforge.agent.frame import context_for, feedback_blocks, repository_map, system_for
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.outline import outline
from thoughtforge.agent.verification import measured_blocks
from thoughtforge.kernel.model import Stage

ACTION: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "additionalProperties": False,
    "required": ["tool", "params"],
    "properties": {
        "thought": {"type": "string"},
        "note": {"type": "string"},
        "tool": {"type": "string"},
        "params": {"type": "object"},
    },
}


async def work(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Step until the agent completes or asks; after a crash go on where the record ends."""
    while means.stage(stage.name).steps < means.journal.state.caps.stage_steps:
        order = ordered(means, agent, stage, brief=brief, bridge=bridge, actions=_actions(bridge))
        acted = await _act(means, bridge=bridge, reply=await call(means, order))
        await put_on_record(means, agent, stage, acted=acted, bridge=bridge)
        if acted.end is not None:
            return acted.end
        if round_about := circles(means, stage):
            return End(circles=round_about)
    return End()


def ordered(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge, actions: str) -> Order:
    """What an agent is told now: its role, its brief, what was measured and what it did last."""
    mine = means.stage(stage.name)
    system = system_for(means, agent, stage, {name: bridge.tools[name].DESCRIPTION for name in bridge.offered})
    blocks = [
        Block("what to do now", brief.prompt.text, 420, floor=420),
        Block(f"form of {brief.contract}", outline(means.contracts[brief.contract].schema), 700, floor=700),
        *feedback_blocks(means, stage),
        *measured_blocks(means, stage),
        *brief.blocks,
        Block("your notes so far", "\n".join(f"- {note}" for note in means.memory(stage.name).notes), 500, floor=250),
        *_last_result(means, stage),
        Block("files of the repository", repository_map(bridge.desk.tree), 4_000, floor=150, untrusted=True),
    ]
    context = context_for(means, agent, stage, system=system, blocks=blocks, actions=actions)
    key = f"{stage.name}/{mine.round}/step-{mine.total_steps + 1}"
    prompts = {**system.prompts, stage.name: brief.prompt.digest}
    return Order(key, stage, agent, system, context, prompts, schema=ACTION)


def _last_result(means: Means, stage: Stage) -> list[Block]:
    recent = means.memory(stage.name).recent
    if not recent or recent[-1].output is None:
        return []
    last = recent[-1]
    digest = last.output or ""
    text = means.unmasked.get(digest) or means.blobs.get(digest).decode("utf-8", "replace")
    if last.outcome != "ok":
        text = text[:ERROR_LENGTH]
    return [Block(f"result of your last action ({last.tool})", text, 1_600, floor=1_000, untrusted=True)]


def _actions(bridge: Bridge) -> str:
    lines = ['Answer with one JSON object: {"thought": …, "note": what is worth keeping, "tool": …, "params": {…}}']
    lines += [f"- {name}: {text}" for name, text in describe(bridge.offered, bridge.tools).items()]
    return "\n".join(lines)


async def _act(means: Means, *, bridge: Bridge, reply: str) -> Acted:
    """Carry out the action in the reply."""
    action = json_object(reply)
    if action is None:
        return Acted({}, "error", "the answer was not one JSON object; answer with the object alone")
    return await carry_out(means, bridge, action)
