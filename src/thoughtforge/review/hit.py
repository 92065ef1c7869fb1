"""What a guard answers when it has something to say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Action = Literal["done", "halt", "warn"]


class Hit(NamedTuple):
    """A guard's condition holds."""

    sentence: str
    numbers: Mapping[str, Any]
    """What the sentence is made of, for programs."""
    action: Action | None = None
    """When the guard itself decides: a first rise only warns, a plateau with criticals halts. Else the profile does."""
    kind: str = ""
    """A word for what the loop does next, such as `regression`: then the best iteration is put back."""
