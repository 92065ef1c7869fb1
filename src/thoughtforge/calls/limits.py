"""One budget for the whole task: may the next call be made?"""

from __future__ import annotations

from collections.abc import Callable

from thoughtforge.calls.port import Reservation
from thoughtforge.kernel.errors import LimitHit
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason

SHORTEST = 256
"""Tokens of the shortest answer worth asking for."""
TOO_LONG = (StopReason.budget_tokens, StopReason.budget_usd)
"""Caps that a shorter answer may still keep."""


def afford(state: State, reserve: Callable[[int], Reservation], longest: int) -> tuple[Reservation, int]:
    """The reservation of a call with the longest answer that what is left can pay for, and that answer's length."""
    while True:
        reserved = reserve(longest)
        try:
            check(state, reserved)
        except LimitHit as hit:
            if longest <= SHORTEST or hit.reason not in TOO_LONG:
                raise
            longest = max(SHORTEST, longest // 2)
        else:
            return reserved, longest


def check(state: State, reserved: Reservation) -> None:
    """Raise LimitHit when a call that uses all of `reserved` could cross a cap."""
    caps, used = state.caps, state.used
    if caps.steps is not None and used.steps >= caps.steps:
        raise LimitHit(StopReason.budget_steps, f"{used.steps} of {caps.steps} steps are used")
    if caps.wall_seconds is not None and used.wall_seconds >= caps.wall_seconds:
        raise LimitHit(StopReason.budget_wall, f"{used.wall_seconds:.0f} of {caps.wall_seconds:.0f} seconds are used")
    if caps.tokens is not None and used.tokens + reserved.tokens > caps.tokens:
        so_far = f"{used.tokens:,} of {caps.tokens:,} tokens are used and the next call may need {reserved.tokens:,}"
        raise LimitHit(StopReason.budget_tokens, so_far + _buys(used.tokens, used.steps, "{:,.0f} tokens"))
    if caps.usd is None:
        return
    if reserved.usd is None and not caps.unknown_usd:
        raise LimitHit(StopReason.unknown_cost, "nobody knows what the next call costs, and there is a cap on money")
    usd = reserved.usd or 0.0
    if used.usd + usd > caps.usd:
        so_far = f"${used.usd:.4f} of ${caps.usd:.2f} are used and the next call may cost ${usd:.4f}"
        raise LimitHit(StopReason.budget_usd, so_far + _buys(used.usd, used.steps, "${:.4f}"))


def _buys(used: float, calls: int, form: str) -> str:
    """What a raise would buy, from the calls so far."""
    return f"; a call has taken {form.format(used / calls)} on average so far" if calls and used else ""
