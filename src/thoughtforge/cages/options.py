"""What a person writes in the configuration for any command-line agent."""

from __future__ import annotations

from pydantic import Field, field_validator

from thoughtforge.kernel.model import Value
from thoughtforge.prices import Price
from thoughtforge.settings import address


class CliOptions(Value):
    """One entry of `providers:` whose kind is a command-line agent."""

    model: str = ""
    """The model's name as the agent knows it; empty leaves the choice to the agent."""
    command: str = ""
    """The agent's program, by name or path; empty is its usual name."""
    key_env: str = ""
    """The variable that holds an API key; empty uses the login the agent has."""
    base_url: str = ""
    """Where its model is; empty is the vendor's own endpoint."""
    timeout_seconds: float = Field(default=300, gt=0)
    """The longest one call may take from beginning to end."""
    turn_seconds: float = Field(default=600, gt=0)
    """The longest it may act by itself without a break."""
    idle_seconds: float = Field(default=180, gt=0)
    """The longest silence, of the agent and of its model, before it is ended."""
    max_output_tokens: int = Field(default=16_384, ge=1)
    """The longest answer ever asked for; a caller may ask for less."""
    price: Price | None = None
    """Overrides the price table; needed for a price at all on this machine."""
    context_window: int | None = Field(default=None, ge=1)
    """The most tokens the model takes in and gives out together."""
    keep_conversation: bool = False
    """Whether it goes on with its conversation after a turn that handed nothing in; otherwise each begins anew."""
    worker: bool = True
    """Whether it acts by itself on code; otherwise it is asked step by step like any model."""

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        return address.checked(url)
