"""What every model offers, as a protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from thoughtforge.kernel.model import Value

OnDelta = Callable[[str], None]
Schema = dict[str, Any] | None
"""What an answer must look like; None where free text will do."""


class Usage(Value):
    """Tokens of one call as the provider reported them; None where it said nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Reply(Value):
    """The finished answer of a model."""

    text: str
    model: str
    usage: Usage = Usage()
    usd: float | None = None
    """Price of the call; None when no price is known."""
    notes: tuple[str, ...] = ()
    """What a person should know of the way it was made."""


class Reservation(Value):
    """The most a call can use, logged before it is sent."""

    tokens: int
    usd: float | None = None


class Model(Protocol):
    """One stateless completion. `http`, `scripted` and `recorded` are such; see docs/extend.md."""

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

        Raises Transient when trying once more may help, ProviderError when it will not. A model that can see says so
        by `sees = True` and takes `images`, a sequence of paths.
        """
        ...
