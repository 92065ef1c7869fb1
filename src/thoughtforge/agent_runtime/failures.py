"""How a turn of a command-line agent failed, in the words providers/http uses, and what a person can do about it."""

from __future__ import annotations

import re
from pathlib import Path
from signal import Signals

from thoughtforge.agent_runtime.cli import Ask, Cli, Output
from thoughtforge.calls.port import ProviderError, Transient
from thoughtforge.store.secrets import hide_shapes

QUOTE = 300
"""How much of an agent's own words is passed on."""

PASSING = frozenset({"rate_limited", "overloaded", "timeout", "connection", "malformed", "empty", "truncated"})
"""Failures that may be gone when it is tried once more."""

STATUS = re.compile(r"\b(?:status(?: code)?|api error|http|error code)\b:? \(?([345]\d\d)\b", re.IGNORECASE)
"""How agents write the server's status into a sentence, when they give it no field of its own."""

URL = re.compile(r",? url: \S+")

WORDS = (
    ("connection", r"could not be reached"),
    ("quota", r"usage limit|hit your limit|quota|credit balance|billing|payment required"),
    ("auth", r"not logged in|log ?in again|/login|authenticat|unauthorized|api key|token.{0,20}(expired|revoked)"),
    ("rate_limited", r"rate.?limit|too many requests"),
    ("overloaded", r"overloaded|high demand|server.?side issue|internal server error"),
    ("timeout", r"time(d)? ?out"),
    ("truncated", r"output token|max_output_tokens|max_tokens|maximum.{0,20}output"),
    ("malformed", r"malformed|without receiving any events|unexpected token|invalid json"),
    ("refused", r"content_filter|safeguards|usage policy"),
    (
        "connection",
        r"connection|connect\b|disconnected|stream (ended|closed)|network|socket|econn|enotfound",
    ),
)
"""What agents say when they name no status; the first that fits counts."""


def failure(cli: Cli, ask: Ask, said: str, *, status: int | None = None) -> ProviderError:
    """The error for what an agent said went wrong. Keys and tokens never get into it."""
    if status is None and (found := STATUS.search(said)):
        status = int(found[1])
    kind = _by_words(said)
    # Words go before the status where it is shared: an account that is used up is answered 400 or 429 like any
    # other, and our own proxy says 502 for a model nobody answers at.
    if status is not None and kind != "quota" and (kind, status) != ("connection", 502):
        kind = _by_status(status)
    return of_kind(kind, cli, ask, said=said, status=status)


def of_kind(kind: str, cli: Cli, ask: Ask, *, said: str = "", status: int | None = None) -> ProviderError:
    """The error of that kind, with what a person can do."""
    name = Path(cli.program).name
    answered = f"{name} got the status {status}" if status else f"{name} returned no answer"
    # Not quoted with `auth`: servers like to repeat a part of the key there.
    words = "" if kind == "auth" else _quote(said, ask)
    what = f"{answered}: {words or _SHORT.get(kind, 'it gave no reason')}"
    error = Transient if kind in PASSING else ProviderError
    return error(kind, what, do=_advice(kind, cli, ask))


def answered(error: ProviderError, status: int) -> ProviderError:
    """The failure of an agent that we ended for asking in vain again and again, by the last answer of its model."""
    if status < 400:
        return error
    kind = _by_status(status)
    made = Transient if kind in PASSING else ProviderError
    what = f"{error.message}; the last got the status {status}: {_SHORT.get(kind, 'it gave no reason')}"
    return made(kind, what, do=error.do or "Wait a moment, or use another model.", reply=error.reply)


def unended(cli: Cli, ask: Ask, output: Output) -> ProviderError:
    """The error for a process that ended without its last record: killed, or it never began."""
    code = output.code - 128 if output.code > 128 else -output.code
    if output.code < 0 or code in set(Signals):
        what = f"{Path(cli.program).name} was killed by the signal {Signals(code).name} before its answer"
        return Transient("connection", what, do="Try again.")
    said = _complaint(output.stderr.decode(errors="replace"))
    if output.code == 0 or not said:
        return of_kind("malformed", cli, ask, said=f"it ended with {output.code} and no last record. {said}")
    return failure(cli, ask, said)


def _complaint(stderr: str) -> str:
    """What it says is an error; else all it wrote there but warnings."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    errors = [line for line in lines if line.lower().startswith("error")]
    return "\n".join(errors or [line for line in lines if not line.lower().startswith("warning")])


def _by_status(status: int) -> str:
    if status in (401, 403):
        return "auth"
    if status == 402:
        return "quota"
    if status == 429:
        return "rate_limited"
    if status in (408, 504):
        return "timeout"
    return "overloaded" if status >= 500 else "bad_request"


def _by_words(said: str) -> str:
    small = said.lower()
    return next((kind for kind, pattern in WORDS if re.search(pattern, small)), "bad_request")


_SHORT = {
    "auth": "the key or login was not accepted",
    "empty": "its answer is empty",
    "rate_limited": "its model is rate-limited",
    "overloaded": "its model is overloaded",
    "truncated": "its answer reached the length limit and is incomplete",
    "refused": "it refused",
}


def _advice(kind: str, cli: Cli, ask: Ask) -> str:
    name = Path(cli.program).name
    if kind == "auth":
        return "Put a valid key into the variable named as key_env." if ask.key else f"Log in: {cli.log_in}"
    return {
        "quota": "Wait until the account's limit resets, add credit, or use another provider.",
        "rate_limited": "Wait a moment, or use a model with a higher limit.",
        "overloaded": "Try again later.",
        "timeout": "Try again, or choose a quicker model.",
        "connection": "Check that the endpoint is reachable, then try again.",
        "malformed": f"Check base_url, and that this version of {name} is supported. Install: {cli.install}",
        "empty": "Try again, or choose another model.",
        "truncated": "Raise call_output_tokens, or ask for less at once.",
        "refused": "Reword the request.",
    }.get(kind, f"Check the model's name and the version of {name}. Install: {cli.install}")


def _quote(said: str, ask: Ask) -> str:
    """An agent's own words: without keys, tokens and the proxy's address, on one line, cut short."""
    text = URL.sub("", " ".join(said.split())).replace(ask.model_url, "its model")
    for secret in (ask.key, ask.door.token if ask.door else ""):
        text = text.replace(secret, "***") if secret else text
    text = hide_shapes(text, {})
    return text if len(text) <= QUOTE else text[:QUOTE] + "…"
