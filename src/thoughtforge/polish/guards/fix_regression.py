"""Fixes make it worse: the review after a fix finds more than the one before it."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("halt", "warn")


class Options(Value):
    """How much worse."""

    noise_floor: int = Field(default=1, ge=1)
    """A rise of the total by this many counts, a smaller one does not."""
    running: int = Field(default=2, ge=1)
    """Rises in a row that end the loop; fewer only warn."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """A rise of the total; only several running are more than a warning."""
    totals, rises = history.totals, 0
    while rises + 1 < len(totals) and totals[-rises - 1] - totals[-rises - 2] >= parameters.noise_floor:
        rises += 1
    if not rises:
        return None
    path = "→".join(str(total) for total in totals[-rises - 1 :])
    times = "once" if rises == 1 else f"{rises} times in a row"
    return GuardHit(
        f"The fix raised the number of findings {times} ({path}).",
        {"rises": rises, "totals": totals[-rises - 1 :]},
        action=None if rises >= parameters.running else "warn",
    )
