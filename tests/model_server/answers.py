"""What a request asked and everything the server can do with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True)
class Asked:
    """One request as it came, and what was read from it."""

    api: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: dict[str, Any]
    model: str = ""
    system: str = ""
    user: str = ""
    schema: dict[str, Any] | None = None
    tool: str = ""
    """The name of the tool the schema came with; empty when it came as an output format or not at all."""
    stream: bool = False


@dataclass(frozen=True)
class Say:
    """A proper answer. `usage` is (input, output) tokens; without it none is reported."""

    text: str = ""
    usage: tuple[int, int] | None = None
    finish: Finish = "stop"
    delay: float = 0


@dataclass(frozen=True)
class Empty(Say):
    """An answer without text."""


@dataclass(frozen=True)
class Truncated(Say):
    """An answer that reached its limit."""

    finish: Finish = "length"


@dataclass(frozen=True)
class Refused(Say):
    """The model declined."""

    finish: Finish = "refused"


@dataclass(frozen=True)
class Fail:
    """An HTTP status with an error in the api's own form, or with `body` as it is."""

    status: int
    message: str = "the script asks for this"
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """Silence, then a closed connection."""

    seconds: float = 600


@dataclass(frozen=True)
class Html:
    """What a proxy shows in front of a server that is down."""

    status: int = 200
    text: str = "<html><body><h1>Welcome to the proxy</h1></body></html>"


@dataclass(frozen=True)
class Cut:
    """The connection closes in the middle of this answer."""

    text: str = "an answer that nobody will ever read to its end"


@dataclass(frozen=True)
class Unfinished:
    """A stream that ends properly but without saying that the answer is complete."""

    text: str = "an answer without an"


Answer = Say | Fail | Hang | Html | Cut | Unfinished
