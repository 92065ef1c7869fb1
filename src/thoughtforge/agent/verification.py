"""What the engine measured, for the agent's next step: how the exit stands, what blocks it and what to do next."""

from __future__ import annotations

from typing import Any

from thoughtforge.agent.context import Block
from thoughtforge.agent.means import Means
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage


def status(means: Means, stage: Stage) -> dict[str, Any]:
    """The few figures every step sees."""
    mine = means.stage(stage.name)
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


def measured_blocks(means: Means, stage: Stage) -> list[Block]:
    """The last measurement of the exit in full, and a word when the agent goes in circles."""
    mine = means.stage(stage.name)
    blocks = []
    if circles := means.memory(stage.name).circles:
        blocks.append(Block("you are going in circles", circles.summary, 120, floor=80))
    turn = mine.measured.get("turn")
    if turn is not None and turn.outcome != "pass":
        blocks.append(Block("files change through the tools alone", turn.summary, 200, floor=120))
    exit = mine.measured.get("exit")
    if exit is not None and exit.outcome != "pass":
        blocks.append(Block("why the stage is not over: measured by the engine", exit_text(exit), 900, floor=400))
    return blocks


def exit_text(exit: Measured) -> str:
    """The conditions that do not hold, then the number of those that do."""
    bad = [c for c in exit.criteria if c.outcome in ("fail", "broken")]
    good = sum(c.outcome == "pass" for c in exit.criteria)
    return "\n".join([*(f"- {c.name}: {c.outcome}: {c.detail}" for c in bad), f"- {good} other conditions hold"])
