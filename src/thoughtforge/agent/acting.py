"""One action of an agent: allowed by the person who wants to be asked, carried out by the bridge, put on record."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from thoughtforge.agent.bridge import Bridge
from thoughtforge.agent.circles import going_round
from thoughtforge.agent.context import Block, one_line
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.watching import watched
from thoughtforge.calls.events import ActionTaken
from thoughtforge.catalog import Rendered
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.workspaces.past import CIRCLES


class Brief(NamedTuple):
    """What an agent is to find out or make with its tools."""

    prompt: Rendered
    blocks: list[Block]
    contract: str
    """The contract of what `complete` must be given."""


class End(NamedTuple):
    """How the work ended: with an artifact, a question, in circles, or not at all because the steps are used up."""

    artifact: JsonObject | None = None
    question: JsonObject | None = None
    circles: str = ""


class Acted(NamedTuple):
    """What came of an action."""

    action: JsonObject
    outcome: Literal["ok", "error", "refused", "denied"]
    summary: str
    output: str = ""
    end: End | None = None


async def carry_out(means: Means, bridge: Bridge, action: JsonObject) -> Acted:
    """Carry out an action; whatever is wrong with it is told to the agent."""
    tool, params = action.get("tool"), action.get("params")
    if not isinstance(tool, str) or not isinstance(params, dict):
        return Acted(action, "error", "the answer needs `tool` (a name) and `params` (an object)")
    if means.ask is not None:
        permission = await means.ask(tool, params)
        if not permission.allowed:
            return Acted(action, "denied", f"the person said no: {permission.reason}")
    used = await watched(means.journal, means.absorb, bridge.use(tool, params))
    return Acted(action, used.outcome, used.summary, used.output, _end(used.end) if used.outcome == "ok" else None)


async def put_on_record(means: Means, agent: Agent, stage: Stage, *, acted: Acted, bridge: Bridge) -> None:
    """The action with what came of it, and the files as they are after it."""
    output = means.blobs.put(acted.output.encode("utf-8", "replace")) if acted.output else None
    if output is not None and means.send_unmasked:
        means.unmasked[output] = acted.output
    if acted.end is not None and acted.end.artifact is not None:
        output = means.put(acted.end.artifact)
    means.journal.append(
        ActionTaken(
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
            tree=await bridge.desk.workshop.workspace.tree() if bridge.desk.workshop else "",
        )
    )


def circles(means: Means, stage: Stage) -> str:
    """What goes round although the agent was told; the first time it is only told."""
    mine = means.memory(stage.name)
    found = going_round(mine.trail, means.circles)
    if not found or mine.circles is not None:
        return found
    means.journal.append(
        Measured(
            stage=stage.name,
            round=means.stage(stage.name).round,
            step=means.journal.state.used.steps,
            what=CIRCLES,
            outcome="fail",
            summary=f"{found}; do something else, ask a question or complete the stage",
        )
    )
    return ""


def finished(means: Means, stage: Stage) -> JsonObject | None:
    """The artifact of a `complete` that is on record but was not used yet, after a crash just there."""
    recent = means.memory(stage.name).recent
    done = recent and recent[-1].tool == "complete" and recent[-1].outcome == "ok" and recent[-1].output
    return means.artifact(recent[-1].output) if done and recent[-1].output else None


def _end(end: JsonObject | None) -> End | None:
    if not end:
        return None
    return End(artifact=end["artifact"]) if "artifact" in end else End(question=end["ask"])


def _short(params: object) -> dict[str, Any]:
    """What goes into the event; an artifact is in the blob the event names."""
    if not isinstance(params, dict):
        return {}
    return {key: one_line(str(value), 300) for key, value in params.items() if key != "artifact"}
