"""The meter of a single answer: a request or two, and what they used together."""

from __future__ import annotations

from thoughtforge.cages.turn import Admission, Answered, Wanted
from thoughtforge.calls.port import Reply, Usage


class Tally:
    """Admits a few requests and adds up what they used."""

    def __init__(self, requests: int, max_output: int) -> None:
        self.left = requests
        self.requests = 0
        """Answered ones."""
        self.max_output = max_output
        self.model = ""
        self.known = True
        """Whether every answer said what it used."""
        self.usd: float | None = 0.0
        self.status = 0
        """Of the last answer; 0 while there was none."""
        self.error = ""
        """What was wrong with the last answer."""
        self._open = 0
        self._given = 0
        self._made = 0

    def admit(self, wanted: Wanted) -> Admission:
        """Let a request pass while there are any left."""
        if self.left <= 0:
            return Admission(refusal="too many requests to the model for one answer")
        self.left -= 1
        self._open += 1
        return Admission(max_output=self.max_output)

    def settle(self, ticket: str, answered: Answered) -> None:
        """Add up; a request the model turned down has used nothing."""
        self._open -= 1
        self.model = answered.model or self.model
        self.status, self.error = answered.status, answered.error
        if answered.status >= 400:
            return
        given, made = answered.usage.input_tokens, answered.usage.output_tokens
        if given is None or made is None:
            self.known = False
            return
        self.requests += 1
        self._given += given
        self._made += made
        self.usd = None if answered.usd is None or self.usd is None else self.usd + answered.usd

    def usage(self, otherwise: Usage) -> Usage:
        """What all requests used; what the agent itself says when an answer did not tell."""
        return self._sum() if self.known and self.requests else otherwise

    def spent(self) -> Reply:
        """What was handed out although no answer came of it; unknown when an answer did not tell."""
        if not self.known or self._open:
            return Reply(text="", model=self.model)
        return Reply(text="", model=self.model, usage=self._sum(), usd=self.usd)

    def _sum(self) -> Usage:
        return Usage(input_tokens=self._given, output_tokens=self._made)
