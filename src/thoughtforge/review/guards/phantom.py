"""Too many findings name places that do not exist."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.review.history import History
from thoughtforge.review.hit import Action, Hit

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Parameters(Value):
    """How many are too many."""

    percent: int = Field(default=30, ge=0, le=100)
    """More than this share of a review's findings."""
    running: int = Field(default=2, ge=1)
    """Reviews running."""


def look(history: History, parameters: Parameters) -> Hit | None:
    """Such a share in so many reviews running."""
    recent = history.iterations[-parameters.running :]
    shares = [(len(one.aside), len(one.findings)) for one in recent]
    if len(shares) < parameters.running or any(aside * 100 <= parameters.percent * all_ for aside, all_ in shares):
        return None
    told = ", ".join(f"{aside} of {all_}" for aside, all_ in shares)
    return Hit(
        f"Findings at places that do not exist: {told} in {parameters.running} reviews running, "
        f"each more than {parameters.percent} %.",
        {"percent": parameters.percent, "shares": tuple(shares)},
    )
