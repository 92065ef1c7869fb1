"""What a person can do with a task now, from the one table of stops: the same list in every place that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from thoughtforge.catalog import LIBRARY
from thoughtforge.definitions.drivers import is_plan, is_thought
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.state import State
from thoughtforge.views.phases import GUARD, REASONS, halt_reason, phase
from thoughtforge.views.values import NextAction

STOPS_FILE = LIBRARY / "stops.yaml"
PROGRAM = "thoughtforge"
ACTIONS = ("resume", "override", "provide", "terminate")


class Cell(NamedTuple):
    """What follows from one action at one stop."""

    after: str
    resets: tuple[str, ...]
    asks: bool


@cache
def stops() -> dict[str, Any]:
    """The table of stops as its file has it."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(STOPS_FILE.read_text(encoding="utf-8"), Loader=loader)  # noqa: S506
    return data


def next_actions(state: State, reason: str | None = None) -> tuple[NextAction, ...]:
    """What a person can do about a task that has stopped, or about one that waits to be continued.

    `reason` is the one to explain when it is not on record. Of a task that a process runs, or ran, the state alone
    does not know enough: see `while_running`.
    """
    reason = reason or state.reason()
    if reason is not None:
        row = stops()["stops"][reason]
        return _listed(row.get(_kind(state), row["next"]), state)
    return () if state.active else _listed(_between(state, "idle"), state)


def while_running(state: State, runner: str | None) -> tuple[NextAction, ...]:
    """The same with what only a look at the lease tells: whether a process runs the task now."""
    if state.reason() is not None or not (runner or state.active):
        return next_actions(state)
    return at_work(state) if runner else _listed(_between(state, "gone"), state)


PLAN_CLOSED, PLAN_STALE = "CLOSED", "plan_stale"


def plan_actions(state: State, runner: str | None, *, status: str, stale: bool) -> tuple[NextAction, ...]:
    """What a person can do with a change plan, whose own status says more than the state of its task."""
    reason = state.reason()
    past = status == PLAN_CLOSED or (reason == PLAN_STALE and not stale)
    if runner or not past and (reason is not None or state.active):
        return while_running(state, runner)
    return _listed(stops()["stops"][PLAN_STALE]["next"] if stale else stops()["plans"][status], state)


def at_work(state: State) -> tuple[NextAction, ...]:
    """What a person can do while a process runs the task."""
    return _listed(_between(state, "running"), state)


def _kind(state: State) -> str:
    """The word of the table for a kind of task."""
    task = state.the_task()
    return "think" if is_thought(task) else "plan" if is_plan(task) else "next"


def _between(state: State, when: str) -> Mapping[str, list[str]]:
    """The row of a task that has not stopped; a change plan has its own where it differs."""
    rows: dict[str, Any] = stops()["between"]
    found: Mapping[str, list[str]] = rows.get(f"{when} {_kind(state)}", rows[when])
    return found


def sentence(actions: Iterable[NextAction]) -> str | None:
    """The actions as one sentence: each label with its commands."""
    parts: dict[str, list[str]] = {}
    for action in actions:
        parts.setdefault(action.label, []).append(action.command)
    found = [f"{label}: {' | '.join(_once(commands))}" for label, commands in parts.items()]
    return "; ".join(found) or None


def next_action(state: State) -> str | None:
    """What a person can do, as one sentence; nothing while a task runs."""
    return sentence(next_actions(state))


def _once(commands: list[str]) -> list[str]:
    """The program's name stands before the first command only."""
    return [commands[0], *(command.removeprefix(f"{PROGRAM} ") for command in commands[1:])]


def _listed(row: Mapping[str, list[str]], state: State) -> tuple[NextAction, ...]:
    """The actions of a row; nobody is told to accept what cannot be accepted."""
    task = state.the_task().id
    refused = {f"{task}:{name}" for name, one in state.escalations.items() if "accept" not in one.choices}
    found = actions_in(row, task=task, questions=[f"{task}:{name}" for name in state.escalations])
    return tuple(one for one in found if not (one.command.endswith(" --accept") and one.command.split()[-2] in refused))


def actions_in(row: Mapping[str, list[str]], *, task: str, questions: Sequence[str] = ()) -> tuple[NextAction, ...]:
    """The actions of one row of the table for a task; one for each open question where the row names a question."""
    asked = questions or [f"{task}:ID"]
    found = [
        NextAction(label, f"{PROGRAM} {command.format(task=task, question=question)}")
        for label, commands in row.items()
        for command in commands
        for question in (asked if "{question}" in command else asked[:1])
    ]
    return tuple(found)


@cache
def table() -> dict[str, dict[str, Cell]]:
    """Reason, in the word a thought has for it → action → what follows."""
    data = stops()
    rows = {REASONS.get(reason, reason): row["actions"] for reason, row in data["stops"].items() if "actions" in row}
    return {
        reason: {name: Cell(cell["after"], tuple(cell["resets"]), cell["asks"]) for name, cell in row.items()}
        for reason, row in {**rows, "other": data["other"]}.items()
    }


def row(state: State) -> dict[str, Cell]:
    """What a person may do with a halted thought; nothing for one that has not stopped."""
    reason = halt_reason(state)
    if reason is None:
        return {}
    known = table()
    word = GUARD if state.reason() == GUARD else reason
    return known[word] if word in known else known["other"]


def cell(state: State, action: str) -> Cell:
    """What follows from the action here; a UserError when its row does not list it."""
    found = row(state).get(action)
    if found is None:
        raise refusal(state, action)
    return found


def refusal(state: State, action: str) -> UserError:
    """Why an action does not fit, with where the task stands and what a person can do."""
    task = state.the_task().id
    do = next_action(state) or f"Look: {PROGRAM} status {task}"
    return UserError(f"{action} does not fit here; task {task} is {where(state)}", do=do)


def where(state: State) -> str:
    """Where a task stands, in a word or two: a thought by its phase, any other by its state."""
    if is_thought(state.the_task()):
        at = phase(state)
        return f"{at.name} in {at.halted_in} ({halt_reason(state)})" if at.halted_in else at.name
    reason = state.reason()
    return f"{state.status()}{f' ({reason})' if reason else ''}"
