"""What is done about a provider that fails: tried once more, waited for when it is asked too often, then replaced."""

from __future__ import annotations

import asyncio

from thoughtforge.agent.means import Agent, Means
from thoughtforge.agent.watching import watched
from thoughtforge.calls.errors import ProviderError, Transient
from thoughtforge.kernel.errors import Mistake, Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.stops import StopReason

PAUSE_BEFORE_RETRY = 1.0
LONGEST_PAUSE = 30.0


class Patience:
    """How often one provider has failed in a row, and how long it may still be waited for."""

    def __init__(self, means: Means, agent: Agent) -> None:
        self.means = means
        self.agent = agent
        self._tries = 0
        self._pause = PAUSE_BEFORE_RETRY
        self._left = means.patience

    async def again(self, error: ProviderError) -> bool:
        """Whether it is asked once more, after the pause that needs."""
        self._tries += 1
        waits = error.kind == "rate_limited" and self._pause <= self._left
        if not isinstance(error, Transient) or (self._tries > 1 and not waits):
            return False
        if waits and self._tries > 1:
            text = f"{self.agent.provider} is asked too often; waiting {self._pause:.0f} s"
            self.means.journal.append(WarningGiven(text=text, code="waiting"))
        if error.kind in ("rate_limited", "overloaded"):
            await watched(self.means.journal, self.means.absorb, asyncio.sleep(self._pause))
            self._left -= self._pause
            self._pause = min(self._pause * 2, LONGEST_PAUSE)
        return True


def for_good(agent: Agent, error: ProviderError) -> Stop:
    """The end of the work with a provider that goes on failing: who, how, and what a person can do."""
    return Stop(StopReason.provider_failed, f"{agent.provider} ({error.kind}): {error} {error.do}".strip())


def instead(means: Means, agent: Agent, failed: Stop | Mistake) -> Agent:
    """Who goes on for a provider that failed for good or is not there; without one, or for any other end, that end."""
    after = agent.fallback
    if after is None or (isinstance(failed, Stop) and failed.reason != StopReason.provider_failed):
        raise failed
    why = failed.detail if isinstance(failed, Stop) else f"{agent.provider}: {failed.what}"
    means.journal.append(WarningGiven(text=f"{why}; {after.provider} is asked instead", code="fallback"))
    return after
