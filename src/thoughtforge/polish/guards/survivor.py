"""The same critical or medium finding survives every fix."""

from __future__ import annotations

from collections import Counter

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("halt", "warn")
SERIOUS = ("critical", "medium")


class Options(Value):
    """How long is too long."""

    reviews: int = Field(default=5, ge=2)
    """Reviews in which the same finding was critical or medium."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Halts and lists those that stay."""
    seen = Counter(
        name
        for iteration in history.iterations
        for name in {finding.id for finding in iteration.open if finding.severity in SERIOUS}
    )
    here = [finding for finding in history.last.open if finding.severity in SERIOUS]
    staying = [finding for finding in here if seen[finding.id] >= parameters.reviews]
    if not staying:
        return None
    word = "finding is" if len(staying) == 1 else "findings are"
    listed = "; ".join(finding.line() for finding in staying) if history.last.itemised else "same totals each time"
    return GuardHit(
        f"{len(staying)} critical or medium {word} there in {parameters.reviews} reviews: {listed}.",
        {"reviews": parameters.reviews, "ids": tuple(finding.id for finding in staying)},
    )
