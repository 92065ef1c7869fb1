"""What every step is told besides its own business: the task frame, the inputs, what people and gates have said."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import yaml

from thoughtforge.agent.context import BUDGET, Block, Context, build, current_state, least, recent_actions, room
from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.prompt import SystemPrompt, shorten, system_prompt
from thoughtforge.agent.scale import SCALE
from thoughtforge.agent.tokens import fit
from thoughtforge.agent.verification import status
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.model import Feedback, Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.tree import Tree

_WORDS = {
    "contract": "The last version broke its contract; put every point right",
    "review": "A reviewer blocks the last version; answer every point by its id",
    "person": "The person asks for a revision",
    "answer": "The person answered",
}


def system_for(means: Means, agent: Agent, stage: Stage, tools: Mapping[str, str]) -> SystemPrompt:
    """The system prompt of an agent at a stage."""
    return system_prompt(agent.role, stage=stage, goal=means.task.request, tools=tools, catalog=means.catalog)


def context_for(
    means: Means,
    agent: Agent,
    stage: Stage,
    *,
    system: SystemPrompt,
    blocks: Iterable[Block],
    actions: str,
) -> Context:
    """A whole context: frame, state, recent actions, verification, available actions."""
    scale = means.journal.of(SCALE).of(agent.model.model)
    fixed = {
        "task_frame": _frame(means, stage),
        "recent_actions": recent_actions(means.memory(stage.name).recent),
        "verification_status": as_yaml(status(means, stage)),
        "available_actions": actions,
    }
    given, most = tuple(blocks), room(system.text, "current_state", scale)
    if window := getattr(getattr(agent.model, "options", None), "context_window", None):
        size = build(system.text, fixed, scale=scale).tokens + len(BUDGET)
        rest = int((window - means.max_output) / scale) - size
        if rest < min(least(given), most):
            raise _too_small(means, agent, window, needed=int((size + least(given)) * scale))
        most = min(most, rest)
    state = current_state(given, budget=most)
    return build(system.text, {**fixed, "current_state": state}, scale=scale)


def _too_small(means: Means, agent: Agent, window: int, *, needed: int) -> Stop:
    what = f"{agent.provider} takes {window:,} tokens in all (context_window), {means.max_output:,} are for the answer"
    do = "Raise context_window if the model takes more, lower call_output_tokens, or use another model."
    return Stop(StopReason.configuration, f"{what}, and this step needs {needed:,}. {do}")


def _frame(means: Means, stage: Stage) -> str:
    frame = {
        "id": means.task.id,
        "goal": shorten(means.task.request),
        "stage": stage.name,
        "purpose": stage.purpose,
        "success": f"an artifact that keeps the contract {stage.output_contract}",
    }
    text = as_yaml(frame)
    if means.project_rules:
        text += "repository_rules: |\n" + _indent(fit(means.project_rules, 220))
    return text


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


LONGEST_REQUEST = 3_000
"""Tokens of a request an agent is shown; of a longer one it sees the beginning and the end."""


def input_blocks(means: Means) -> list[Block]:
    """The request and every accepted artifact, as material."""
    accepted = means.accepted()
    blocks = [Block("request", means.request(), 700 if accepted else LONGEST_REQUEST, floor=200, untrusted=True)]
    for contract, artifact in accepted.items():
        blocks.append(Block(contract, as_yaml(_told(contract, artifact)), 1_300, floor=250, untrusted=True))
    return blocks


def _told(contract: str, artifact: dict[str, Any]) -> dict[str, Any]:
    """An input without what the context says elsewhere."""
    hidden = {"intake_record": {"original_request", "metadata", "request_id"}}.get(contract, set())
    return {key: value for key, value in artifact.items() if key not in hidden}


def feedback_blocks(means: Means, stage: Stage) -> list[Block]:
    """What gates, reviewers and people said, the version they said it of, and the person's hints."""
    mine = means.stage(stage.name)
    blocks = [Block(_title(item), _lines(item.items), 900, floor=300) for item in mine.feedback]
    if mine.feedback and mine.artifact:
        last = means.artifact(mine.artifact)
        text = as_yaml(last) if last is not None else means.blobs.get(mine.artifact).decode("utf-8", "replace")
        blocks.append(Block("your last version", text, 2_600, floor=900, untrusted=True))
    return [*hint_blocks(means), *blocks]


def hint_blocks(means: Means) -> list[Block]:
    """What the person said on the way; nothing when they said nothing."""
    return [Block("hints of the person", _lines(means.journal.state.hints), 300, floor=150)]


def _lines(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _title(item: Feedback) -> str:
    number = f" (iteration {item.iteration})" if item.iteration else ""
    return _WORDS[item.kind] + number


def as_yaml(data: Any) -> str:
    """Plain YAML in the order given: shorter than JSON and easier to read for models and people."""
    text: str = yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=120)
    return text


@lru_cache(maxsize=4)  # a tree does not change, and every step shows it
def repository_map(tree: Tree) -> str:
    """Every path an agent may read, folder by folder; the context takes as much of it as there is room for."""
    folders: dict[str, list[str]] = {}
    for entry in tree.paths():
        folder, _, name = entry.path.rpartition("/")
        folders.setdefault(folder or ".", []).append(name)
    return "\n".join(f"{folder}/: {', '.join(names)}" for folder, names in folders.items())
