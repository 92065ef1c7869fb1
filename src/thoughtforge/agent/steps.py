"""One step of an agent: a context of fixed parts, one call, one action; all of it on record."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from thoughtforge.agent.as_text import as_rows
from thoughtforge.agent.bridge import Bridge, describe
from thoughtforge.agent.calls import ModelRequest, call, no_object
from thoughtforge.agent.context import MEASURED, NOTES, RESULT, WHOLE, Block, shown_whole
from thoughtforge.agent.frame import (
    context_for,
    feedback_blocks,
    listed_notes,
    measured_blocks,
    notes_before,
    result_room,
    system_for,
)
from thoughtforge.agent.memory import detect_loop
from thoughtforge.agent.prompt import outline
from thoughtforge.agent.reply_text import json_object
from thoughtforge.agent.repository_map import map_block
from thoughtforge.agent.run import Agent, Run, run_until_aborted
from thoughtforge.agent.tokens import ERROR_LENGTH, fit_head, lines_in, one_line
from thoughtforge.calls.events import ActionTaken
from thoughtforge.catalog import Rendered
from thoughtforge.contracts.validate import completed, repaired
from thoughtforge.definitions.drivers import TESTS, prompt_name, writes
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.workspaces.past import CIRCLES


async def _nothing() -> Sequence[Block]:
    return ()


class Brief(NamedTuple):
    """What an agent is to find out or make with its tools."""

    prompt: Rendered
    blocks: list[Block]
    """What the agent is shown besides; it stays the same in every call of the stage."""
    contract: str
    """The contract of what `complete` must be given."""
    now: Callable[[], Awaitable[Sequence[Block]]] = _nothing
    """What it is shown as it is now."""
    steps: int = 0
    """How many steps it may take; 0 for all that the stage has."""


class End(NamedTuple):
    """How the work ended: with an artifact, a question, in circles, or not at all because the steps are used up."""

    artifact: JsonObject | None = None
    question: JsonObject | None = None
    circles: str = ""
    refuted: str = ""
    """What a person is asked when held-back cases failed as often as they may."""


class ActionResult(NamedTuple):
    """What came of an action."""

    action: JsonObject
    outcome: Literal["ok", "error", "refused", "denied"]
    summary: str
    output: str = ""
    end: End | None = None


async def carry_out(run: Run, bridge: Bridge, action: JsonObject) -> ActionResult:
    """Run an action; report anything wrong with it to the agent."""
    tool, params = action.get("tool"), action.get("params")
    if params is None:  # they stand beside the tool
        params = {key: value for key, value in action.items() if key not in ACTION["properties"]}
    if not isinstance(tool, str) or not isinstance(params, dict):
        return ActionResult(action, "error", "the answer needs `tool` (a name) and `params` (an object)")
    if run.people.ask is not None:
        permission = await run.people.ask(tool, params)
        if not permission.allowed:
            return ActionResult(action, "denied", f"the person refused: {permission.reason}")
    used = await run_until_aborted(run.record.journal, run.people.drain_inbox, bridge.use(tool, params))
    return ActionResult(
        action, used.outcome, used.summary, used.output, _end(used.end) if used.outcome == "ok" else None
    )


async def put_on_record(run: Run, agent: Agent, stage: Stage, *, acted: ActionResult, bridge: Bridge) -> None:
    """The action with what came of it, and the files as they are after it."""
    output = run.record.blobs.put(acted.output.encode("utf-8", "replace")) if acted.output else None
    if output is not None and run.library.config.secrets.send_unmasked:
        run.record.unmasked[output] = acted.output
    if acted.end is not None and acted.end.artifact is not None:
        output = run.record.put(acted.end.artifact)
    run.record.journal.append(
        ActionTaken(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.journal.state.used.steps,
            role=agent.role.name,
            tool=one_line(str(acted.action.get("tool", "none")), 60),
            params=_short(acted.action.get("params")),
            outcome=acted.outcome,
            summary=one_line(acted.summary),
            output=output,
            note=kept_note(acted.action.get("note")),
            tree=await bridge.context.session.workspace.tree() if bridge.context.session else "",
        )
    )


NOTE_LENGTH = 600
"""Characters of a note that are kept."""


def kept_note(said: object) -> str:
    """A note with its line breaks, without blank lines and trailing blanks."""
    text = "\n".join(line.rstrip() for line in str(said or "").splitlines() if line.strip())
    return text if len(text) <= NOTE_LENGTH else f"{text[: NOTE_LENGTH - 1]}…"


def check_loops(run: Run, stage: Stage) -> str:
    """What the agent repeats after a warning; the first time the engine only warns it."""
    mine = run.record.memory(stage.name)
    found = detect_loop(mine.trail, run.library.config.circles)
    if not found or mine.circles is not None:
        return found
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.journal.state.used.steps,
            what=CIRCLES,
            outcome="fail",
            summary=f"{found}; do something else, ask a question or complete the stage",
        )
    )
    return ""


def finished(run: Run, stage: Stage) -> JsonObject | None:
    """The artifact of a `complete` that is on record but was not used yet, after a crash just there."""
    recent = run.record.memory(stage.name).recent
    done = recent and recent[-1].tool == "complete" and recent[-1].outcome == "ok" and recent[-1].output
    return run.record.artifact(recent[-1].output) if done and recent[-1].output else None


def _end(end: JsonObject | None) -> End | None:
    if not end:
        return None
    return End(artifact=end["artifact"]) if "artifact" in end else End(question=end["ask"])


def _short(params: object) -> dict[str, Any]:
    """What goes into the event; an artifact is in the blob the event names."""
    if not isinstance(params, dict):
        return {}
    return {key: one_line(str(value), 300) for key, value in params.items() if key != "artifact"}


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


async def take_steps(run: Run, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge) -> End:
    """Step until the agent completes or asks; after a crash go on where the record ends."""
    most = run.record.journal.state.caps.stage_steps
    most = min(brief.steps, most) if brief.steps else most
    while run.record.stage(stage.name).steps < most:
        order = await ordered(
            run, agent, stage, brief=brief, bridge=bridge, actions=_actions(run, agent, bridge, stage)
        )
        bridge.context.fitting = partial(lines_in, room=order.context.free)
        acted = await _act(run, agent, bridge=bridge, reply=await call(run, order))
        await put_on_record(run, agent, stage, acted=acted, bridge=bridge)
        if acted.end is not None:
            return acted.end
        if round_about := check_loops(run, stage):
            return End(circles=round_about)
    return End()


async def ordered(run: Run, agent: Agent, stage: Stage, *, brief: Brief, bridge: Bridge, actions: str) -> ModelRequest:
    """The context of an agent now: its role, its brief, the measurements, its last action and the files as they are."""
    mine = run.record.stage(stage.name)
    system = system_for(run, agent, stage, bridge.offered, contract=brief.contract)
    form = outline(run.library.contracts[brief.contract].schema)
    stable = [
        Block("what to do now", brief.prompt.text, WHOLE, floor=WHOLE, need=MEASURED),
        Block(f"form of {brief.contract}", form, WHOLE, floor=WHOLE, need=MEASURED),
        *brief.blocks,
        *notes_before(run, stage),
    ]
    notes = listed_notes(run.record.memory(stage.name).notes)
    blocks = [
        *feedback_blocks(run, stage),
        *measured_blocks(run, stage),
        Block("your notes so far", notes, 600, floor=250, need=NOTES),
        *_handed_in(run, stage, brief.contract),
        *await brief.now(),
        *_last_result(run, stage),
        map_block(run, bridge.context.tree),
    ]
    context = context_for(
        run, agent, stage, system=system, blocks=blocks, actions=actions, stable=stable, contract=brief.contract
    )
    for title, whole in shown_whole(context).items():
        bridge.context.saw(title, whole=whole)
    key = f"{stage.name}/{mine.round}/step-{mine.total_steps + 1}"
    prompts = {**system.prompts, prompt_name(stage): brief.prompt.digest}
    return ModelRequest(key, stage, agent, system, context, prompts, schema=ACTION, comes_again=True)


def handed_in(run: Run, stage: Stage, contract: str) -> JsonObject:
    """What was handed in since the round began; a part of it completes what was refused before."""
    schema, whole = run.library.contracts[contract].schema, JsonObject()
    for digest in run.record.memory(stage.name).handed:
        whole = completed(schema, repaired(schema, run.record.artifact(digest) or {}), whole)
    return whole


def _handed_in(run: Run, stage: Stage, contract: str) -> list[Block]:
    """That, for whoever was refused: it is kept, and only the fields that change come again."""
    text = as_rows(handed_in(run, stage, contract)) if run.record.memory(stage.name).handed else ""
    title = "what you handed in so far; hand in only the fields that change"
    return [Block(title, text, 900, floor=300, untrusted=True, need=NOTES, shorten=fit_head)]


def _last_result(run: Run, stage: Stage) -> list[Block]:
    recent = run.record.memory(stage.name).recent
    if not recent or recent[-1].output is None:
        return []
    last = recent[-1]
    digest = last.output or ""
    text = run.record.unmasked.get(digest) or run.record.blobs.get(digest).decode("utf-8", "replace")
    if last.outcome != "ok":
        text = text[:ERROR_LENGTH]
    if last.tool == "complete" and last.outcome == "ok":
        return []  # refused; it is shown as long as it is not handed in anew
    title = f"result of your last action ({last.tool})"
    return [Block(title, text, WHOLE, floor=WHOLE, untrusted=True, need=RESULT, shorten=fit_head)]


def _actions(run: Run, agent: Agent, bridge: Bridge, stage: Stage) -> str:
    readers = "you see it again" if writes(stage) == TESTS else "you and the next stage see it again"
    note = f"what is worth keeping, at most {NOTE_LENGTH} characters; {readers}"
    lines = [f'Answer with one JSON object: {{"thought": …, "note": {note}, "tool": …, "params": {{…}}}}']
    longest, shown = run.answer_tokens(agent), result_room(run, agent)
    lines += [f"An answer has at most {longest:,} tokens; of what a tool shows, you see about {shown:,} tokens."]
    lines += [f"- {name}: {text}" for name, text in describe(bridge.offered, bridge.tools).items()]
    return "\n".join(lines)


async def _act(run: Run, agent: Agent, *, bridge: Bridge, reply: str) -> ActionResult:
    """Carry out the action in the reply."""
    action = json_object(reply)
    if action is None:
        return ActionResult({}, "error", no_object(run, agent, reply))
    return await carry_out(run, bridge, action)
