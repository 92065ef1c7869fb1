"""What a model's answers used, as the proxy counts it for each vendor's format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from thoughtforge.agent_runtime.cli import Api
from thoughtforge.agent_runtime.turn import Admission, Answered, Wanted
from thoughtforge.calls.port import Reply, Usage


class UsageMeter:
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
        self._cached: int | None = None
        """Of what was given; None while no answer told."""

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
        if answered.usage.cached_tokens is not None:
            self._cached = (self._cached or 0) + answered.usage.cached_tokens
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
        return Usage(input_tokens=self._given, output_tokens=self._made, cached_tokens=self._cached)


Json = Mapping[str, Any]


class Counted(NamedTuple):
    """The model that answered and the tokens it counted; None where it did not say."""

    model: str = ""
    usage: Usage = Usage()
    cache_written: int = 0
    """Input tokens that went into the vendor's cache."""


def counted(api: Api, reply: bytes) -> Counted:
    """What a reply says of its model and its tokens, also one that was cut off."""
    return _READERS[api](_pieces(reply))


def _pieces(reply: bytes) -> list[Json]:
    """The JSON objects of a reply: the one it is, the elements of a list, or the data of each event."""
    try:
        whole = json.loads(reply)
    except ValueError:
        return [piece for line in reply.splitlines() if (piece := _data(line))]
    return [piece for piece in (whole if isinstance(whole, list) else [whole]) if isinstance(piece, dict)]


def _data(line: bytes) -> Json | None:
    name, _, text = line.partition(b":")
    if name != b"data":
        return None
    try:
        piece = json.loads(text)
    except ValueError:
        return None
    return piece if isinstance(piece, dict) else None


def _anthropic(pieces: Iterable[Json]) -> Counted:
    model, said = "", dict[str, Any]()
    ended = False
    for piece in pieces:
        message = _part(piece, "message") if piece.get("type") == "message_start" else piece
        # The beginning of a stream names output tokens too, but nothing has been put out by then.
        ended = ended or piece.get("type") in ("message", "message_delta")
        model = str(message.get("model") or model)
        said |= {name: value for name, value in _part(message, "usage").items() if isinstance(value, int)}
    written, read = said.get("cache_creation_input_tokens", 0), said.get("cache_read_input_tokens", 0)
    given = said["input_tokens"] + written + read if "input_tokens" in said else None
    usage = _usage(given, said.get("output_tokens") if ended else None, said.get("cache_read_input_tokens"))
    return Counted(model, usage, written)


def _responses(pieces: Iterable[Json]) -> Counted:
    model, said = "", dict[str, Any]()
    for piece in pieces:
        response = _part(piece, "response") or piece
        model = str(response.get("model") or model)
        said = dict(_part(response, "usage")) or said
    read = _part(said, "input_tokens_details").get("cached_tokens")
    return Counted(model, _usage(said.get("input_tokens"), said.get("output_tokens"), read))


def _openai(pieces: Iterable[Json]) -> Counted:
    model, said = "", dict[str, Any]()
    for piece in pieces:
        model = str(piece.get("model") or model)
        said = dict(_part(piece, "usage")) or said
    read = _part(said, "prompt_tokens_details").get("cached_tokens")
    return Counted(model, _usage(said.get("prompt_tokens"), said.get("completion_tokens"), read))


def _google(pieces: Iterable[Json]) -> Counted:
    model, said = "", dict[str, Any]()
    for piece in pieces:
        response = _part(piece, "response") or piece
        model = str(response.get("modelVersion") or model)
        said = dict(_part(response, "usageMetadata")) or said
    given = _sum([said.get("promptTokenCount"), said.get("toolUsePromptTokenCount")])
    made = _sum([said.get("candidatesTokenCount"), said.get("thoughtsTokenCount")])
    return Counted(model, _usage(given, made, said.get("cachedContentTokenCount")))


_READERS: dict[Api, Callable[[Iterable[Json]], Counted]] = {
    "anthropic": _anthropic,
    "responses": _responses,
    "openai": _openai,
    "google": _google,
}


def _part(piece: Json, name: str) -> Json:
    found = piece.get(name)
    return found if isinstance(found, dict) else {}


def _usage(given: Any, made: Any, cached: Any) -> Usage:
    said = {"input_tokens": given, "output_tokens": made, "cached_tokens": cached}
    return Usage(**{name: number if isinstance(number, int) else None for name, number in said.items()})


def _sum(numbers: Iterable[Any]) -> int | None:
    known = [number for number in numbers if isinstance(number, int)]
    return sum(known) if known else None
