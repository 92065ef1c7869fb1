"""The total stays the same while the findings change: the reviewer replaces old ones by as many new ones."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History, Iteration

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Options(Value):
    """What standing still means."""

    limit: int = Field(default=3, ge=2)
    """Reviews in a row with the same total."""
    matched: int = Field(default=70, ge=0, le=100)
    """Percent of the findings: below it they rotate, from it on they are the same ones and work is stuck."""
    similar: int = Field(default=80, ge=0, le=100)
    """Percent of 1 − Levenshtein distance / longer length from which two descriptions match."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """The same total for so many reviews, made of other findings."""
    totals = history.totals[-parameters.limit :]
    if len(totals) < parameters.limit or len(set(totals)) > 1 or not totals[0]:
        return None
    now, before = history.last, history.iterations[-2]
    same = _matching(now, before, parameters.similar)
    if same * 100 >= parameters.matched * totals[-1]:
        return None
    return GuardHit(
        f"{totals[-1]} findings in {parameters.limit} reviews in a row, and only {same} of them existed before "
        f"({same * 100 / totals[-1]:.0f} %, fewer than {parameters.matched} %).",
        {"total": totals[-1], "reviews": parameters.limit, "same": same},
    )


def _matching(now: Iteration, before: Iteration, similar: int) -> int:
    """How many findings resemble one of the review before; without texts equal totals are the same findings."""
    if not (now.itemised and before.itemised):
        return len(now.open)
    earlier = [finding.description for finding in before.open]
    return sum(_resembles(finding.description, earlier, similar) for finding in now.open)


def _resembles(text: str, others: Sequence[str], similar: int) -> bool:
    from rapidfuzz.distance import Levenshtein

    return any(
        Levenshtein.distance(text, other) * 100 <= (100 - similar) * max(len(text), len(other)) for other in others
    )
