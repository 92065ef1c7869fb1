"""One budget for the whole task: may the next call be made?"""

from __future__ import annotations

from thoughtforge.kernel.errors import LimitHit
from thoughtforge.kernel.model import Reservation
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import StopReason


def check(state: State, reserved: Reservation) -> None:
    """Raise LimitHit when a call that uses all of `reserved` could cross a cap."""
    caps, used = state.caps, state.used
    if caps.steps is not None and used.steps >= caps.steps:
        raise LimitHit(StopReason.budget_steps, f"{used.steps} of {caps.steps} steps are used")
    if caps.wall_seconds is not None and used.wall_seconds >= caps.wall_seconds:
        raise LimitHit(StopReason.budget_wall, f"{used.wall_seconds:.0f} of {caps.wall_seconds:.0f} seconds are used")
    if caps.tokens is not None and used.tokens + reserved.tokens > caps.tokens:
        raise LimitHit(
            StopReason.budget_tokens,
            f"{used.tokens:,} of {caps.tokens:,} tokens are used and the next call may need {reserved.tokens:,}",
        )
    if caps.usd is not None and reserved.usd is not None and used.usd + reserved.usd > caps.usd:
        raise LimitHit(
            StopReason.budget_usd,
            f"${used.usd:.4f} of ${caps.usd:.2f} are used and the next call may cost ${reserved.usd:.4f}",
        )
