"""Everything the server can do with a request."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Finish = Literal["stop", "length", "refused"]


@dataclass(frozen=True)
class Call:
    """One use of a tool. A text in place of parameters is sent as it is, whether it is JSON or not."""

    tool: str
    params: Mapping[str, Any] | str = field(default_factory=dict)

    @property
    def arguments(self) -> str:
        return self.params if isinstance(self.params, str) else json.dumps(self.params)

    @property
    def input(self) -> Any:
        return json.loads(self.arguments)


@dataclass(frozen=True)
class Say:
    """A proper answer. `usage` is (input, output) tokens; without it none is reported."""

    text: str = ""
    usage: tuple[int, int] | None = None
    finish: Finish = "stop"
    delay: float = 0
    calls: tuple[Call, ...] = ()
    cached: int = 0
    """How much of the input came from a cache; it is part of the input's count."""
    written: int = 0
    """How much of it was written to one, where the api tells; part of the count too."""


@dataclass(frozen=True)
class Use:
    """The model wants a tool used, and says `text` before it; `also` are further calls in the same answer."""

    tool: str
    params: Mapping[str, Any] | str = field(default_factory=dict)
    text: str = ""
    usage: tuple[int, int] | None = None
    also: tuple[Call, ...] = ()
    delay: float = 0
    cached: int = 0

    @property
    def said(self) -> Say:
        calls = (Call(self.tool, self.params), *self.also)
        return Say(self.text, self.usage, delay=self.delay, calls=calls, cached=self.cached)


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
class Foreign:
    """Status 200 and proper JSON, as a body or as the events of a stream, but not in the api's format."""

    body: Any = field(default_factory=lambda: {"greeting": "hello"})


@dataclass(frozen=True)
class Garbled:
    """An answer whose JSON is broken: in the middle of a stream, or of the body. The connection ends properly."""

    text: str = "an answer that cannot be read"
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Cut:
    """The connection closes in the middle of this answer."""

    text: str = "an answer that nobody will ever read to its end"
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Unfinished:
    """A stream that ends properly but without saying that the answer is complete; a body is cut off."""

    text: str = "an answer without an"
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True)
class Stall:
    """A stream that begins and then never goes on; a body is begun."""

    text: str = "an answer that stops and"
    seconds: float = 600
    calls: tuple[Call, ...] = ()


Broken = Garbled | Cut | Unfinished | Stall
"""Answers that come in part."""
Answer = Say | Use | Fail | Hang | Html | Foreign | Broken
