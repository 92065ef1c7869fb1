"""The parts of a step's context: the frame of the task, what the engine measured, inputs, feedback and hints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import yaml

from thoughtforge.agent.context import BUDGET, Block, Context, build, current_state, least, recent_actions, room
from thoughtforge.agent.prompt import SystemPrompt, shorten, system_prompt
from thoughtforge.agent.run import Agent, Run
from thoughtforge.agent.tokens import fit
from thoughtforge.calls.spending import SCALE
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Feedback, Stage
from thoughtforge.kernel.stops import StopReason
from thoughtforge.workspaces.tree import FileTree


def status(run: Run, stage: Stage) -> dict[str, Any]:
    """The few figures every step sees."""
    mine = run.record.stage(stage.name)
    failing = sum(len(f.items) for f in mine.feedback if f.kind in ("contract", "review"))
    exit, edit = mine.measured.get("exit"), mine.measured.get("edit")
    told: dict[str, Any] = {"round": mine.round, "open_points": failing, "judged_by": "the engine"}
    if exit is not None:
        told["last_exit"] = exit.summary
    if edit is not None:
        told["last_edit"] = edit.summary
        if edit.facts.get("next_action"):
            told["next_action"] = edit.facts["next_action"]
    return {**told, "ready": False}


def measured_blocks(run: Run, stage: Stage) -> list[Block]:
    """The last measurement of the exit in full, and a warning when the agent repeats itself."""
    mine = run.record.stage(stage.name)
    blocks = []
    if circles := run.record.memory(stage.name).circles:
        blocks.append(Block("you repeat yourself", circles.summary, 120, floor=80))
    turn = mine.measured.get("turn")
    if turn is not None and turn.outcome != "pass":
        blocks.append(Block("files change only through the tools", turn.summary, 200, floor=120))
    exit = mine.measured.get("exit")
    if exit is not None and exit.outcome != "pass":
        blocks.append(
            Block("why the stage is not finished, as measured by the engine", exit_text(exit), 900, floor=400)
        )
    return blocks


def exit_text(exit: Measured) -> str:
    """The conditions that do not hold, then the number of those that do."""
    bad = [c for c in exit.criteria if c.outcome in ("fail", "broken")]
    good = sum(c.outcome == "pass" for c in exit.criteria)
    return "\n".join([*(f"- {c.name}: {c.outcome}: {c.detail}" for c in bad), f"- {good} other conditions hold"])


_WORDS = {
    "contract": "The last version broke its contract; fix every point",
    "review": "A reviewer blocks the last version; answer every point by its id",
    "person": "The person asks for a revision",
    "answer": "The person answered",
}


def system_for(run: Run, agent: Agent, stage: Stage, tools: Mapping[str, str]) -> SystemPrompt:
    """The system prompt of an agent at a stage."""
    return system_prompt(
        agent.role, stage=stage, goal=run.record.task.request, tools=tools, catalog=run.library.catalog
    )


def context_for(
    run: Run,
    agent: Agent,
    stage: Stage,
    *,
    system: SystemPrompt,
    blocks: Iterable[Block],
    actions: str,
) -> Context:
    """A whole context: frame, state, recent actions, verification, available actions."""
    scale = run.record.journal.of(SCALE).of(agent.model.model)
    fixed = {
        "task_frame": _frame(run, stage),
        "recent_actions": recent_actions(run.record.memory(stage.name).recent),
        "verification_status": as_yaml(status(run, stage)),
        "available_actions": actions,
    }
    given, most = tuple(blocks), room(system.text, "current_state", scale)
    if window := agent.model.capabilities.context_window:
        size = build(system.text, fixed, scale=scale).tokens + len(BUDGET)
        rest = int((window - run.library.config.call_output_tokens) / scale) - size
        if rest < min(least(given), most):
            raise _too_small(run, agent, window, needed=int((size + least(given)) * scale))
        most = min(most, rest)
    state = current_state(given, budget=most)
    return build(system.text, {**fixed, "current_state": state}, scale=scale)


def _too_small(run: Run, agent: Agent, window: int, *, needed: int) -> Stop:
    answer = run.library.config.call_output_tokens
    what = f"{agent.provider} takes {window:,} tokens in total (context_window), {answer:,} of them for the answer"
    do = "Raise context_window if the model takes more, lower call_output_tokens, or use another model."
    return Stop(StopReason.configuration, f"{what}, and this step needs {needed:,}. {do}")


def _frame(run: Run, stage: Stage) -> str:
    frame = {
        "id": run.record.task.id,
        "goal": shorten(run.record.task.request),
        "stage": stage.name,
        "purpose": stage.purpose,
        "success": f"an artifact that keeps the contract {stage.output_contract}",
    }
    text = as_yaml(frame)
    if run.library.project_rules:
        text += "repository_rules: |\n" + _indent(fit(run.library.project_rules, 220))
    return text


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.splitlines())


LONGEST_REQUEST = 3_000
"""Tokens of a request an agent is shown; of a longer one it sees the beginning and the end."""


def input_blocks(run: Run) -> list[Block]:
    """The request and every accepted artifact, as material."""
    accepted = run.record.accepted()
    blocks = [Block("request", run.record.request(), 700 if accepted else LONGEST_REQUEST, floor=200, untrusted=True)]
    for contract, artifact in accepted.items():
        blocks.append(Block(contract, as_yaml(_told(contract, artifact)), 1_300, floor=250, untrusted=True))
    return blocks


def _told(contract: str, artifact: dict[str, Any]) -> dict[str, Any]:
    """An input without what the context says elsewhere."""
    hidden = {"intake_record": {"original_request", "metadata", "request_id"}}.get(contract, set())
    return {key: value for key, value in artifact.items() if key not in hidden}


def feedback_blocks(run: Run, stage: Stage) -> list[Block]:
    """What gates, reviewers and people said, the version they said it of, and the person's hints."""
    mine = run.record.stage(stage.name)
    blocks = [Block(_title(item), _lines(item.items), 900, floor=300) for item in mine.feedback]
    if mine.feedback and mine.artifact:
        last = run.record.artifact(mine.artifact)
        text = as_yaml(last) if last is not None else run.record.blobs.get(mine.artifact).decode("utf-8", "replace")
        blocks.append(Block("your last version", text, 2_600, floor=900, untrusted=True))
    return [*hint_blocks(run), *blocks]


def hint_blocks(run: Run) -> list[Block]:
    """What the person said on the way; nothing when they said nothing."""
    return [Block("hints of the person", _lines(run.record.journal.state.hints), 300, floor=150)]


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
def repository_map(tree: FileTree) -> str:
    """Every path an agent may read, folder by folder; the context takes as much of it as there is room for."""
    folders: dict[str, list[str]] = {}
    for entry in tree.paths():
        folder, _, name = entry.path.rpartition("/")
        folders.setdefault(folder or ".", []).append(name)
    return "\n".join(f"{folder}/: {', '.join(names)}" for folder, names in folders.items())
