"""The deliverable goes back to what it was: fixes undo each other."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Options(Value):
    """How far back to look."""

    longest: int = Field(default=3, ge=2)
    """Equal to the deliverable of two up to so many reviews ago."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Equal to an earlier state and different from the last one."""
    hashes = [iteration.hash for iteration in history.iterations]
    now, before = hashes[-1], hashes[-2] if len(hashes) > 1 else None
    if now is None or before is None or now == before:
        return None
    for ago in range(2, min(parameters.longest, len(hashes) - 1) + 1):
        if hashes[-1 - ago] == now:
            return GuardHit(
                f"The deliverable is again what it was {ago} reviews ago, in iteration {history.number - ago}.",
                {"ago": ago, "iteration": history.number - ago},
                kind="oscillation",
            )
    return None
