"""The scripted provider's playbooks, spoken over the wire."""

from __future__ import annotations

from collections.abc import Callable

from model_server.answers import Answer, Cut, Empty, Fail, Hang, Html, Refused, Say, Truncated
from model_server.asked import Asked
from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.providers.scripted import PlaybookRule, Script

FAILURES: dict[str, Answer] = {
    "auth": Fail(401),
    "quota": Fail(402),
    "rate_limited": Fail(429),
    "overloaded": Fail(503),
    "bad_request": Fail(400),
    "timeout": Hang(),
    "connection": Cut(),
    "malformed": Html(),
    "empty": Empty(),
    "truncated": Truncated(""),
    "refused": Refused(),
}
"""How each kind of failure looks on the wire."""


def from_playbook(script: Script) -> Callable[[Asked], Answer]:
    """A script for the server with the rules of that playbook."""

    def answer(asked: Asked) -> Answer:
        try:
            rule = script.choose(asked.system, asked.user)
            text = script.text(rule)
        except ProviderError as error:
            return FAILURES.get(error.kind) or Fail(500 if isinstance(error, Transient) else 400, error.message)
        return Say(text, usage=_usage(rule), delay=rule.delay)

    return answer


def _usage(rule: PlaybookRule) -> tuple[int, int] | None:
    given = rule.usage
    if given.input_tokens is None and given.output_tokens is None:
        return None
    return given.input_tokens or 0, given.output_tokens or 0
