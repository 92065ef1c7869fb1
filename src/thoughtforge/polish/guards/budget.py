"""A cap of the task is used up."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("halt", "warn")


class Options(Value):
    """When it counts as used up."""

    share: float = Field(default=1.0, gt=0, le=1)
    """Of the tightest cap."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Halts when so much of the cap is spent."""
    spent = history.last.spent
    if spent < parameters.share:
        return None
    return GuardHit(f"{spent:.0%} of the budget is used up.", {"spent": spent, "share": parameters.share})
