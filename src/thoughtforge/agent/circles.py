"""Tells work from going in circles: the same action with the same result, edits back and forth, no change for long."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.memory import Deed
from thoughtforge.settings.config import Circles


def going_round(trail: Sequence[Deed], rules: Circles) -> str:
    """What goes round, in words; empty while there is progress."""
    if not trail:
        return ""
    times = trail.count(trail[-1])  # on other files the same action is a new attempt
    if times >= rules.repeats:
        return f"the same action had the same result {times} times"
    if _back_and_forth(trail):
        return "edits go back and forth between the same two versions"
    idle = _idle(trail) if trail[-1].tree else 0  # whoever may only read changes nothing
    if idle >= rules.without_progress:
        return f"the last {idle} actions changed nothing"
    return ""


def _back_and_forth(trail: Sequence[Deed]) -> bool:
    """A, B, A, B: the last four different states of the files are two."""
    states: list[str] = []
    for step in trail:
        if step.tree and (not states or states[-1] != step.tree):
            states.append(step.tree)
    last = states[-4:]
    return len(last) == 4 and last[0] == last[2] and last[1] == last[3]


def _idle(trail: Sequence[Deed]) -> int:
    """Actions since the files were last something they had not been before."""
    seen: set[str] = set()
    last_new = 0
    for place, step in enumerate(trail):
        if step.tree not in seen:
            seen.add(step.tree)
            last_new = place
    return len(trail) - 1 - last_new
