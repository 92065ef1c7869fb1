"""What a call costs: from the configured price, else from the table that comes with genai-prices, else unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.settings.outside import loopback

if TYPE_CHECKING:
    from genai_prices import Usage as PricedUsage
    from pydantic_ai.usage import RequestUsage


class Price(Value):
    """What a million tokens cost in US dollars."""

    input_per_million: float = Field(ge=0)
    """For what is sent."""
    output_per_million: float = Field(ge=0)
    """For what is answered."""
    cached_per_million: float | None = Field(default=None, ge=0)
    """For what the vendor's prompt cache had; without it that costs as much as everything that is sent."""


def cost(price: Price | None, usage: RequestUsage | PricedUsage, *, model: str, endpoint: str) -> float | None:
    """US dollars for this usage; None when nobody knows the price of this model at this endpoint."""
    if price:
        cached = int(usage.cache_read_tokens or 0)
        return _flat(price, int(usage.input_tokens or 0), int(usage.output_tokens or 0), cached=cached)
    if loopback(endpoint) or not model:
        return None
    # The bundled table only: nothing here starts genai-prices' updater.
    from genai_prices import calc_price

    try:
        # By address and not by model name alone: a gateway's price for a model is not its maker's.
        return float(calc_price(usage, model, provider_api_url=endpoint).total_price)
    except LookupError:
        return None


def ceiling(price: Price | None, input_tokens: int, output_tokens: int, *, model: str, endpoint: str) -> float | None:
    """The most such a call can cost; writing to a vendor's prompt cache may cost more than plain input."""
    if price:
        return _flat(price, input_tokens, output_tokens)
    if loopback(endpoint) or not model:
        return None
    from genai_prices import Usage

    plain = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    cached = Usage(input_tokens=input_tokens, cache_write_tokens=input_tokens, output_tokens=output_tokens)
    asked = (cost(price, usage, model=model, endpoint=endpoint) for usage in (plain, cached))
    return max((usd for usd in asked if usd is not None), default=None)


def _flat(price: Price, input_tokens: int, output_tokens: int, *, cached: int = 0) -> float:
    plain = price.input_per_million
    saved = 0.0 if price.cached_per_million is None else cached * (plain - price.cached_per_million)
    return (input_tokens * plain - saved + output_tokens * price.output_per_million) / 1_000_000
