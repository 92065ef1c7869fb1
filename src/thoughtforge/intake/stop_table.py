"""The table of stops: what a person may do when a thought has stopped. It is data; nothing else decides it."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from thoughtforge import views
from thoughtforge.intake.phases import REASONS, halt_reason, phase
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.state import State
from thoughtforge.review.events import PolishStop

ACTIONS = ("resume", "override", "provide", "terminate")


class Cell(NamedTuple):
    """What comes of one action at one stop."""

    after: str
    resets: tuple[str, ...]
    asks: bool


@cache
def table() -> dict[str, dict[str, Cell]]:
    """Reason, in the word people who think see → action → what comes of it."""
    data = views.stops()
    rows = {REASONS.get(reason, reason): row["actions"] for reason, row in data["stops"].items() if "actions" in row}
    return {
        reason: {name: Cell(cell["after"], tuple(cell["resets"]), cell["asks"]) for name, cell in row.items()}
        for reason, row in {**rows, "other": data["other"]}.items()
    }


def row(state: State) -> dict[str, Cell]:
    """What may be done with a halted task; nothing for one that has not stopped."""
    reason = halt_reason(state)
    if reason is None:
        return {}
    known = table()
    word = "guard" if state.reason() is PolishStop.guard else reason
    return known[word] if word in known else known["other"]


def cell(state: State, action: str) -> Cell:
    """What comes of the action here; a Mistake when it is not in its row."""
    found = row(state).get(action)
    if found is None:
        raise refusal(state, action)
    return found


def refusal(state: State, action: str) -> Mistake:
    """Why an action does not fit, with where the task stands and what can be done."""
    at, why, task = phase(state), halt_reason(state), state.the_task().id
    where = f"{at.name} in {at.halted_in} ({why})" if at.halted_in else at.name
    do = views.next_action(state) or f"Look: thoughtforge status {task}"
    return Mistake(f"{action} does not fit here; task {task} is {where}", do=do)
