"""Turns a model into a worker: a fresh call per step, one action out, carried out by the bridge, put on record."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from thoughtforge.agent.answer import json_object
from thoughtforge.agent.bridge import Bridge, describe
from thoughtforge.agent.calls import Order, call
from thoughtforge.agent.circles import going_round
from thoughtforge.agent.context import ERROR_LENGTH, Block, one_line
from thoughtforge.agent.frame import context_for, feedback_blocks, repository_map, system_for
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.outline import outline
from thoughtforge.agent.verification import measured_blocks
from thoughtforge.agent.watching import watched
from thoughtforge.catalog import Rendered
from thoughtforge.kernel.events import ActionTaken, Measured
from thoughtforge.kernel.model import JsonObject, Stage


class Brief(NamedTuple):
    """What an agent is to find out or make with its tools."""

    prompt: Rendered
    blocks: list[Block]
    contract: str
    """The contract of what `complete` must be given."""


class End(NamedTuple):
    """How the steps ended: with an artifact, a question, in circles, or not at all because the steps are used up."""

    artifact: JsonObject | None = None
    question: JsonObject | None = None
    circles: str = ""


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
        reply = await call(means, _order(means, agent, stage, brief=brief, bridge=bridge))
        acted = await _act(means, bridge=bridge, reply=reply)
        means.journal.append(_event(means, agent, stage, acted, tree=await _tree(bridge)))
        if acted.end is not None:
            return acted.end
        if round_about := circles(means, stage):
            return End(circles=round_about)
    return End()


async def _tree(bridge: Bridge) -> str:
    """The files as they are now, by their tree; nothing where the stage does not write."""
    return await bridge.desk.workshop.workspace.tree() if bridge.desk.workshop else ""


def circles(means: Means, stage: Stage) -> str:
    """What goes round although the agent was told; the first time it is only told."""
    mine = means.stage(stage.name)
    found = going_round(mine.trail, means.circles)
    if not found or "circles" in mine.measured:
        return found
    means.journal.append(
        Measured(
            stage=stage.name,
            round=mine.round,
            step=means.journal.state.used.steps,
            what="circles",
            outcome="fail",
            summary=f"{found}; do something else, ask a question or complete the stage",
        )
    )
    return ""


def _event(means: Means, agent: Agent, stage: Stage, acted: _Acted, *, tree: str) -> ActionTaken:
    output = means.blobs.put(acted.output.encode("utf-8", "replace")) if acted.output else None
    if output is not None and means.send_unmasked:
        means.unmasked[output] = acted.output
    if acted.end is not None and acted.end.artifact is not None:
        output = means.put(acted.end.artifact)
    return ActionTaken(
        stage=stage.name,
        round=means.stage(stage.name).round,
        step=means.journal.state.used.steps,
        role=agent.role.name,
        tool=one_line(str(acted.action.get("tool", "none")), 60),
        params=_short(acted.action.get("params")),
        outcome=acted.outcome,
        summary=one_line(acted.summary),
        output=output,
        note=one_line(str(acted.action.get("note", "")), 300),
        tree=tree,
    )


def finished(means: Means, stage: Stage) -> JsonObject | None:
    """The artifact of a `complete` that is on record but was not used yet, after a crash just there."""
    recent = means.stage(stage.name).recent
    done = recent and recent[-1].tool == "complete" and recent[-1].outcome == "ok" and recent[-1].output
    return means.artifact(recent[-1].output) if done and recent[-1].output else None


def _order(means: Means, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> Order:
    mine = means.stage(stage.name)
    system = system_for(means, agent, stage, {name: bridge.tools[name].DESCRIPTION for name in bridge.offered})
    blocks = [
        Block("what to do now", brief.prompt.text, 420, floor=420),
        Block(f"form of {brief.contract}", outline(means.contracts[brief.contract].schema), 700, floor=700),
        *feedback_blocks(means, stage),
        *measured_blocks(means, stage),
        *brief.blocks,
        Block("your notes so far", "\n".join(f"- {note}" for note in mine.notes), 500, floor=250),
        *_last_result(means, stage),
        Block("files of the repository", repository_map(bridge.desk.tree), 4_000, floor=150, untrusted=True),
    ]
    context = context_for(means, agent, stage, system=system, blocks=blocks, actions=_actions(bridge))
    key = f"{stage.name}/{mine.round}/step-{mine.total_steps + 1}"
    prompts = {**system.prompts, stage.name: brief.prompt.digest}
    return Order(key, stage, agent, system, context, prompts, schema=ACTION)


def _last_result(means: Means, stage: Stage) -> list[Block]:
    recent = means.stage(stage.name).recent
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


class _Acted(NamedTuple):
    action: JsonObject
    outcome: Literal["ok", "error", "refused", "denied"]
    summary: str
    output: str = ""
    end: End | None = None


async def _act(means: Means, *, bridge: Bridge, reply: str) -> _Acted:
    """Carry out the action in the reply; whatever is wrong with it is told to the agent in its next step."""
    action = json_object(reply)
    if action is None:
        return _Acted({}, "error", "the answer was not one JSON object; answer with the object alone")
    tool, params = action.get("tool"), action.get("params")
    if not isinstance(tool, str) or not isinstance(params, dict):
        return _Acted(action, "error", "the answer needs `tool` (a name) and `params` (an object)")
    if means.ask is not None:
        permission = await means.ask(tool, params)
        if not permission.allowed:
            return _Acted(action, "denied", f"the person said no: {permission.reason}")
    used = await watched(means.journal, means.absorb, bridge.use(tool, params))
    return _Acted(action, used.outcome, used.summary, used.output, _end(used.end) if used.outcome == "ok" else None)


def _end(end: JsonObject | None) -> End | None:
    if not end:
        return None
    return End(artifact=end["artifact"]) if "artifact" in end else End(question=end["ask"])


def _short(params: object) -> dict[str, Any]:
    """What goes into the event; an artifact is in the blob the event names."""
    if not isinstance(params, dict):
        return {}
    return {key: one_line(str(value), 300) for key, value in params.items() if key != "artifact"}
