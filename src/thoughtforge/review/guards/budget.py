"""A cap of the task is used up."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.review.history import History
from thoughtforge.review.hit import Action, Hit

ACTIONS: tuple[Action, ...] = ("halt", "warn")


class Parameters(Value):
    """When it counts as used up."""

    share: float = Field(default=1.0, gt=0, le=1)
    """Of the tightest cap."""


def look(history: History, parameters: Parameters) -> Hit | None:
    """Halts when so much of the cap is spent."""
    spent = history.last.spent
    if spent < parameters.share:
        return None
    return Hit(f"{spent:.0%} of the budget is used up.", {"spent": spent, "share": parameters.share})
