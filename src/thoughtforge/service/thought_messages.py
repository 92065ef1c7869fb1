"""What a person can do with a thought: each a message that becomes one event, or is refused with where it stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from thoughtforge.intake.phases import AUTONOMOUS, phase
from thoughtforge.intake.stop_table import cell, refusal
from thoughtforge.kernel import events as e
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason
from thoughtforge.people.events import AbortAsked, ActionAsked, Said

THINK = "think"
INSTEAD = {
    "approve": ("approve", "confirm {task}"),
    "exit": ("approve --exit", "confirm {task} | terminate {task}"),
    "revise": ("feedback", "say {task} TEXT"),
    "reject": ("reject", "say {task} TEXT | terminate {task}"),
}
"""Decision on a version → the command that sends it, and what a thought has in its place."""


def _say(state: State, data: dict[str, Any], by: str) -> e.Event:
    """A message. Nobody listens in the phases that go on by themselves, nor when all is over."""
    at = _thought(state, "say")
    if at in ("done", "building", "polishing") or state.reason() is StopReason.aborted:
        raise refusal(state, "say")
    _some(data, "say")
    shown = phase(state)
    where = shown.halted_in or shown.name
    return Said(role="human", text=data["text"], digest=data.get("digest"), phase=where, by=by)


def _distill(state: State, data: dict[str, Any], by: str) -> e.Event:
    if _thought(state, "distill") != "brain_dump":
        raise refusal(state, "distill")
    return ActionAsked(action="distill", by=by)


def _confirm(state: State, data: dict[str, Any], by: str) -> e.Event:
    """The engine's gate: what is open is named by its id."""
    _thought(state, "confirm")
    if state.awaiting is None or state.reason() is not StopReason.approval:
        raise refusal(state, "confirm")
    stage, iteration = state.awaiting
    gate = state.stage(stage).measured.get("confirm")
    left = [] if gate is None else [c for c in gate.criteria if c.outcome == "fail"]
    if left:
        task = state.the_task().id
        raise Mistake(
            f"the proposal cannot be confirmed yet: {len(left)} point{'s' * (len(left) > 1)} open",
            do=f"Settle them in chat: thoughtforge say {task} TEXT",
            details=tuple(f"{c.name}: {c.detail}" for c in left),
        )
    return e.DecisionMade(stage=stage, iteration=iteration, decision="approve", by=by)


def _provide(state: State, data: dict[str, Any], by: str) -> e.Event:
    _thought(state, "provide")
    cell(state, "provide")
    _some(data, "provide")
    return ActionAsked(action="provide", text=data["text"], digest=data.get("digest"), by=by)


def _override(state: State, data: dict[str, Any], by: str) -> e.Event:
    _thought(state, "override")
    cell(state, "override")
    return ActionAsked(action="override", by=by)


def _terminate(state: State, data: dict[str, Any], by: str) -> e.Event:
    """For good. What waits for a person can be ended too; what is over cannot."""
    at = _thought(state, "terminate")
    if at == "done":
        raise refusal(state, "terminate")
    if at == "halted":
        cell(state, "terminate")
    return AbortAsked(by=by)


def check_resume(state: State, *, extends: bool = False) -> None:
    """Whether a thought may simply go on: what has halted asks the table, and no flag goes round a confirmation."""
    if state.task is None or state.task.goal != THINK:
        return
    if extends and state.awaiting is not None:
        raise refusal(state, "continue --extend-to")
    if phase(state).name == "halted":
        cell(state, "resume")


def refuse_decision(state: State, decision: str) -> None:
    """What is decided on other tasks has its own commands for a thought, with the engine's gate before them."""
    task = state.the_task()
    if task.goal == THINK:
        word, instead = INSTEAD[decision]
        raise Mistake(
            f"{word} is not for thoughts; task {task.id} is one and is at {phase(state).name}",
            do=f"Use: thoughtforge {instead.format(task=task.id)}",
        )


def autonomous(state: State) -> bool:
    """Whether nobody is waited for where the thought stands."""
    at = phase(state)
    return (at.halted_in or at.name) in AUTONOMOUS


def _thought(state: State, action: str) -> str:
    task = state.the_task()
    if task.goal != THINK:
        raise Mistake(f"{action} is for thoughts; task {task.id} is a {task.goal}", do="See: thoughtforge --help")
    return phase(state).name


def _some(data: dict[str, Any], action: str) -> None:
    if not str(data.get("text", "")).strip():
        raise Mistake("there is no text", do=f'Give it: thoughtforge {action} TASK "…"')


THOUGHT_MAKERS: dict[str, Callable[[State, dict[str, Any], str], e.Event]] = {
    "say": _say,
    "distill": _distill,
    "confirm": _confirm,
    "provide": _provide,
    "override": _override,
    "terminate": _terminate,
}
"""Message kind → what makes its event."""
