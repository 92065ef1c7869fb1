"""The fact only the store has: a damaged part of the record is gone, and a person accepted it."""

from __future__ import annotations

from typing import Literal

from thoughtforge.kernel.events import Event, register


class LossAccepted(Event):
    type: Literal["loss_accepted"] = "loss_accepted"
    at_rest = True
    lost_after: int
    """The last sequence number that was kept."""
    kept_aside: str
    by: str = ""


register(LossAccepted)
