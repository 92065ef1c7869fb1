"""A model or coding agent did not answer properly."""

from __future__ import annotations

from thoughtforge.calls.port import Reply
from thoughtforge.kernel.errors import ThoughtForgeError


class ProviderError(ThoughtForgeError):
    """A model gave no usable answer; `kind` is a short word for the record."""

    def __init__(self, kind: str, message: str, *, do: str = "", reply: Reply | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.do = do
        self.reply = reply
        """What was paid for all the same, with all that is known of it; None leaves that to the kind."""


class Transient(ProviderError):
    """A failure that may pass: rate limit, overload, broken connection, empty or cut answer."""
