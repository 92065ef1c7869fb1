"""What a model is to the engine: its port, what it can do, what it answers, and how it fails."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from thoughtforge.kernel.errors import Stop, ThoughtForgeError
from thoughtforge.kernel.model import JsonObject, Value


class ProviderError(ThoughtForgeError):
    """A model gave no usable answer; `kind` is a short word for the record."""

    def __init__(self, kind: str, message: str, *, do: str = "", reply: Reply | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.do = do
        self.reply = reply
        """The usage of the failed call, as far as known; None means that the kind decides."""


class Transient(ProviderError):
    """A failure that may pass: rate limit, overload, broken connection, empty or cut answer."""


class LimitHit(Stop):
    """A cap of the task would be crossed by the next call."""


OnDelta = Callable[[str], None]
Schema = dict[str, Any] | None
"""What an answer must look like; None where free text will do."""


class Usage(Value):
    """Tokens of one call as the provider reported them; None where it said nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Of the input tokens, those that came from the vendor's prompt cache."""


class Reply(Value):
    """The finished answer of a model."""

    text: str
    model: str
    usage: Usage = Usage()
    usd: float | None = None
    """Price of the call; None when it is unknown."""
    notes: tuple[str, ...] = ()
    """Notes for the person about how the answer was made."""
    cut: bool = False
    """The provider says that the answer reached its length limit and goes on."""
    session: str = ""
    """The session to continue with the next call; empty when it keeps none."""


class Reservation(Value):
    """The most a call can use, logged before it is sent."""

    tokens: int
    usd: float | None = None


class Capabilities(Value):
    """What a model can do beyond one answer to one text. Callers read it here and never probe the model."""

    context_window: int | None = None
    """Tokens of text and answer together; None when unknown."""
    max_output: int | None = None
    """Tokens of its longest answer; None when the setting `call_output_tokens` alone decides."""
    images: bool = False
    """It can be shown pictures: it is a `SeeingModel`."""
    jobs: frozenset[str] = frozenset()
    """Requests it answers by rules, without a model; with any, it is a `RulesModel`."""
    roles: frozenset[str] | None = None
    """The roles it can fill; None for every role."""
    placeholder: str = ""
    """What it may leave in a slot of a plan that it cannot fill."""
    program: bool = False
    """It is a program on this machine that runs in a cage and may be missing or logged out."""
    worker: bool = False
    """It works autonomously with our tools: it is a `Worker` (agent_runtime/turn.py)."""
    cache_marks: bool = False
    """It can be told how much of a text comes again, so that its cache keeps it: it is a `MarkingModel`."""
    conversation: bool = False
    """It continues the conversation of its last turn, and of an answer: it is a `ConversingModel`."""
    waits_in: str = ""
    """The folder where it leaves each request for somebody to answer; empty for a model that answers by itself."""


def longest_answer(wanted: int, model: Capabilities) -> int:
    """The tokens to ask for when `wanted` is configured: no more than the model gives, nor a quarter of its window."""
    return max(1, _least(wanted, model)[0])


def lowered_by(wanted: int, model: Capabilities) -> str:
    """The setting that decides this, for whoever wants longer answers."""
    return _least(wanted, model)[1]


def _least(wanted: int, model: Capabilities) -> tuple[int, str]:
    window = model.context_window and model.context_window // 4
    found = {"call_output_tokens": wanted, "max_output_tokens": model.max_output, "a quarter of context_window": window}
    return min(((tokens, setting) for setting, tokens in found.items() if tokens), key=lambda one: one[0])


@runtime_checkable
class Model(Protocol):
    """One stateless completion. `http`, `scripted` and `recorded` are such; see docs/extend.md."""

    capabilities: Capabilities
    """What it can do besides."""

    offsite: bool
    """Whether text leaves this machine."""
    model: str
    """The model's name as configured."""
    label: str
    """A word shown wherever its work is: `scripted`, `recorded`; empty for a real model."""

    def reserve(self, system: str, context: str, max_output: int, schema: Schema = None) -> Reservation:
        """The most a call with this text can use: bytes are the upper bound of tokens."""
        ...

    def complete(
        self, system: str, context: str, schema: Schema = None, *, max_output: int, on_delta: OnDelta | None = None
    ) -> Awaitable[Reply]:
        """Answer. `schema` constrains the output where the provider can; the caller validates in every case.

        Raises Transient when trying once more may help, ProviderError when it will not.
        """
        ...


class SeeingModel(Protocol):
    """A model that declares `images`."""

    def complete(
        self,
        system: str,
        context: str,
        schema: Schema = None,
        *,
        max_output: int,
        on_delta: OnDelta | None = None,
        images: Sequence[Path] = (),
    ) -> Awaitable[Reply]:
        """Answer, with these pictures as part of the context."""
        ...


class MarkingModel(Protocol):
    """A model that declares `cache_marks`."""

    def complete(
        self,
        system: str,
        context: str,
        schema: Schema = None,
        *,
        max_output: int,
        on_delta: OnDelta | None = None,
        stable: int = 0,
    ) -> Awaitable[Reply]:
        """Answer; the first `stable` characters of the context come again in the calls that follow."""
        ...


class ConversingModel(Protocol):
    """A model that declares `conversation`."""

    def complete(
        self,
        system: str,
        context: str,
        schema: Schema = None,
        *,
        max_output: int,
        on_delta: OnDelta | None = None,
        home: str = "",
        session: str = "",
    ) -> Awaitable[Reply]:
        """Answer in a conversation that is kept under the name `home`, and continue `session` when there is one."""
        ...


class RulesModel(Protocol):
    """A model that declares `jobs`."""

    def answer(self, job: str, material: Mapping[str, Any]) -> JsonObject:
        """Do a job by rules; the answer keeps the contract of that job."""
        ...
