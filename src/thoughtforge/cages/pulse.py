"""Signs of life of a caged agent that are not its output: traffic with its model, and our own tools at work for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator


class Pulse:
    """When the last sign came, by the loop's clock."""

    def __init__(self) -> None:
        self._clock = asyncio.get_running_loop().time
        self._heard = self._clock()
        self._working = 0

    def beat(self) -> None:
        """Something came from the agent or from its model."""
        self._heard = self._clock()

    @contextlib.contextmanager
    def working(self) -> Iterator[None]:
        """The agent waits for us: as long as that lasts it is not silent."""
        self._working += 1
        try:
            yield
        finally:
            self._working -= 1
            self.beat()

    def last(self) -> float:
        """The last sign; now, while it waits for us."""
        return self._clock() if self._working else self._heard
