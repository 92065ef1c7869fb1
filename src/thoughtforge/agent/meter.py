"""Every request of a self-acting agent to its model, as a call of the task: reserved, capped, on record."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from thoughtforge.agent.calls import NOTHING, Order, begun
from thoughtforge.agent.means import Means
from thoughtforge.agent.tokens import estimate
from thoughtforge.cages.turn import Admission, Answered, Wanted, Worker
from thoughtforge.calls.events import CallEnded, CallFailed
from thoughtforge.kernel.errors import Stop

OVER = "the work is handed in"


class CallMeter:
    """Between one agent and its model for the length of a turn."""

    def __init__(self, means: Means, order: Order, *, over: Callable[[], bool]) -> None:
        self.means = means
        self.order = order
        self.over = over
        """Whether there is nothing left to do: then no further request is paid for."""
        self.stop: Stop | None = None
        """Why the turn had to end, if a cap or a person ended it."""
        self.status = 0
        """Of the last answer; 0 while there was none."""
        self.began: dict[str, float] = {}

    def admit(self, wanted: Wanted) -> Admission:
        """Reserve the most the request can use and put it on record; or say why it may not be sent."""
        if self.over():
            return Admission(refusal=OVER)
        if self.stop is not None:
            return Admission(refusal=self.stop.detail or self.stop.reason)
        text = wanted.body.decode("utf-8", "replace")
        number = self.means.journal.state.used.steps + 1
        mine = self.order._replace(key=f"{self.order.key}/request-{number}", sent=text, schema=None)
        # What is reserved is what is granted: never longer than the agent's entry allows.
        longest = cast(Worker, self.order.agent.model).limit(max(0, wanted.max_output) or self.means.max_output)
        try:
            started, most = begun(self.means, mine, longest=longest)
        except Stop as stop:
            self.stop = stop
            return Admission(refusal=stop.detail or stop.reason)
        self.began[started.call] = self.means.stopwatch()
        return Admission(max_output=most, ticket=started.call)

    def settle(self, ticket: str, answered: Answered) -> None:
        """What the request really used; unknown stays unknown and counts as reserved."""
        journal = self.means.journal
        self.status = answered.status
        seconds = round(self.means.stopwatch() - self.began.pop(ticket), 3)
        if not 200 <= answered.status < 300 or answered.error:
            error = self.means.masker.text(answered.error or f"the model answered {answered.status}")
            used = NOTHING if 400 <= answered.status < 500 else answered
            kind = f"status_{answered.status}"
            journal.append(CallFailed(call=ticket, kind=kind, error=error[:300], usage=used.usage, usd=used.usd))
            return
        reply = self.means.masker.text(answered.reply.decode("utf-8", "replace"))
        journal.append(
            CallEnded(
                call=ticket,
                reply=self.means.blobs.put(reply.encode()),
                model=answered.model or self.order.agent.model.model,
                usage=answered.usage,
                usd=answered.usd,
                reply_tokens=estimate(reply),
                seconds=seconds,
            )
        )
