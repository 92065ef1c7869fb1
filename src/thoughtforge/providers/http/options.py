"""What a person writes in the configuration for a model reached over HTTP."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from thoughtforge.kernel.model import Value
from thoughtforge.prices import Price
from thoughtforge.settings import address

Api = Literal["openai", "anthropic", "google"]

ENDPOINTS: dict[Api, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
}
"""Always passed on in full, so that no variable of an SDK can redirect a call."""

KEYS: dict[Api, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "google": "GEMINI_API_KEY"}


class Options(Value):
    """One entry of `providers:` with `kind: http`."""

    api: Api = "openai"
    """The wire format: `openai` also fits Ollama, llama.cpp, vLLM and most gateways."""
    model: str = Field(min_length=1)
    """The model's name as the endpoint knows it."""
    base_url: str = ""
    """Where the endpoint is, such as `http://127.0.0.1:11434/v1`; empty is the vendor's own."""
    key_env: str | None = None
    """The variable that holds the key; empty sends none. Unset: the vendor's usual name, none on this machine."""
    timeout_seconds: float = Field(default=300, gt=0)
    """The longest one call may take from beginning to end."""
    max_output_tokens: int = Field(default=4096, ge=1)
    """The longest answer ever asked for; a caller may ask for less."""
    schema_mode: Literal["auto", "native", "tool", "off"] = Field(default="auto", alias="schema")
    """How the answer is held to its contract: the api's own schema support, a tool call, or not at all."""
    price: Price | None = None
    """Overrides the price table; needed for a price at all on this machine."""
    context_window: int | None = Field(default=None, ge=1)
    """The most tokens the model takes in and gives out together; no call can use more."""

    @field_validator("base_url")
    @classmethod
    def _is_a_url(cls, url: str) -> str:
        return address.checked(url)

    @property
    def endpoint(self) -> str:
        """The address every call goes to."""
        return self.base_url or ENDPOINTS[self.api]

    @property
    def loopback(self) -> bool:
        """Whether the endpoint is this machine."""
        return address.loopback(self.endpoint)

    @property
    def key_variable(self) -> str:
        """The variable the key is read from; empty when no key is sent."""
        if self.key_env is not None:
            return self.key_env
        # A key meant for a vendor is not handed to whatever listens on this machine.
        return "" if self.loopback else KEYS[self.api]
