"""The status of a change plan, and the one table of its moves."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from thoughtforge.kernel.errors import UserError


class PlanStatus(StrEnum):
    """Where a change plan stands. The log has it; the line in the file is a view."""

    draft = "DRAFT"
    review = "REVIEW"
    approved = "APPROVED"
    implementing = "IMPLEMENTING"
    auditing = "AUDITING"
    done = "DONE"
    closed = "CLOSED"
    cancelled = "CANCELLED"


MOVES: Mapping[PlanStatus, tuple[PlanStatus, ...]] = {
    PlanStatus.draft: (PlanStatus.review, PlanStatus.cancelled),
    PlanStatus.review: (PlanStatus.approved, PlanStatus.draft, PlanStatus.cancelled),
    PlanStatus.approved: (PlanStatus.implementing, PlanStatus.review, PlanStatus.cancelled),
    PlanStatus.implementing: (PlanStatus.auditing, PlanStatus.approved, PlanStatus.cancelled),
    PlanStatus.auditing: (PlanStatus.done, PlanStatus.implementing, PlanStatus.cancelled),
    PlanStatus.done: (PlanStatus.closed,),
    PlanStatus.cancelled: (PlanStatus.closed, PlanStatus.draft),
    PlanStatus.closed: (),
}
"""Status → where a plan can go from there; nothing else moves it."""


def move(plan: str, before: PlanStatus, after: PlanStatus) -> PlanStatus:
    """The new status; a move that is not in the table is refused by name."""
    if after in MOVES[before]:
        return after
    told = ", ".join(MOVES[before]) or "nowhere; it is closed"
    raise UserError(f"{plan} is {before} and cannot become {after}", do=f"From {before} a change plan goes to: {told}")


def route(before: PlanStatus, after: PlanStatus) -> tuple[PlanStatus, ...]:
    """The statuses on the shortest way from one to another, the last included; empty when there is no way."""
    ways: list[tuple[PlanStatus, ...]] = [(before,)]
    seen = {before}
    while ways:
        way = ways.pop(0)
        if way[-1] is after:
            return way[1:]
        for following in MOVES[way[-1]]:
            if following not in seen:
                seen.add(following)
                ways.append((*way, following))
    return ()
