"""The loop has had as many reviews as it may have."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("halt",)


class Options(Value):
    """The ceiling."""

    limit: int = Field(default=50, ge=1)


def look(history: History, parameters: Options) -> GuardHit | None:
    """Halts at the ceiling and says how it went."""
    if history.reviews < parameters.limit:
        return None
    totals = history.totals
    mean, lowest = sum(totals) / len(totals), min(totals)
    where = history.before + totals.index(lowest) + 1
    return GuardHit(
        f"{history.reviews} reviews, the limit is {parameters.limit}: {mean:.1f} findings on average, "
        f"the fewest were {lowest} in iteration {where}.",
        {"reviews": history.reviews, "average": mean, "lowest": lowest, "lowest_iteration": where},
    )
