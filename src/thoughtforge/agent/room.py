"""How many tokens a step of an agent with tools may have, and how they are shared."""

from __future__ import annotations

from typing import NamedTuple

TOTAL = 8_000
"""Tokens of a step, as the model counts them."""
THOUGHT = 24_000
"""Tokens a step of a thought may have where the model takes as many; what goes beyond TOTAL is for those in need."""
TAIL = 3_000
"""Tokens the brief leaves to what changes from call to call; what it has no room for goes on there."""
TAIL_SHARE, RESULT_SHARE = 2, 4
"""Of the room beyond TOTAL the tail has a half, and the result of one action is promised a quarter."""


class Room(NamedTuple):
    """Estimated tokens of a whole call now, and what they were when the stage began."""

    total: int
    scale: float = 1.0
    """How many of the model's tokens one estimated token is."""
    settled: int = 0
    settled_scale: float = 1.0

    @property
    def more(self) -> int:
        """What there is beyond the usual: for those in need alone."""
        return max(0, int(self.total - TOTAL / self.scale))

    @property
    def tail(self) -> int:
        """What the brief leaves."""
        return TAIL + self.more // TAIL_SHARE

    @classmethod
    def of(cls, scale: float = 1.0, settled: float = 0.0, *, most: int = TOTAL) -> Room:
        """The room of a model that counts so many tokens for an estimated one, now and when the stage began."""
        before = settled or scale
        return cls(int(most / scale), scale, int(most / before), before)
