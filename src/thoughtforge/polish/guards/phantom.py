"""Too many findings name places that do not exist."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Options(Value):
    """How many are too many."""

    percent: int = Field(default=30, ge=0, le=100)
    """More than this share of a review's findings."""
    running: int = Field(default=2, ge=1)
    """Reviews running."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Such a share in so many reviews running."""
    recent = history.iterations[-parameters.running :]
    shares = [(len(one.aside), len(one.findings)) for one in recent]
    if len(shares) < parameters.running or any(aside * 100 <= parameters.percent * all_ for aside, all_ in shares):
        return None
    told = ", ".join(f"{aside} of {all_}" for aside, all_ in shares)
    return GuardHit(
        f"Findings at places that do not exist: {told} in {parameters.running} reviews in a row, each more than "
        f"{parameters.percent} %.",
        {"percent": parameters.percent, "shares": tuple(shares)},
    )
