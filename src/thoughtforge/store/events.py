"""The store's own event: a person accepted the loss of a damaged part of the record."""

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
