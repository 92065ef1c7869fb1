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
    cache_write_per_million: float | None = Field(default=None, ge=0)
    """For what is written to the vendor's prompt cache; without it 1.25 times `input_per_million`, the usual price."""

    @property
    def written(self) -> float:
        """For what is written to a prompt cache, said or usual."""
        said = self.cache_write_per_million
        return WRITTEN * self.input_per_million if said is None else said


WRITTEN = 1.25
"""Times the price of input that vendors ask for writing to a prompt cache: Anthropic, AWS, Google and OpenAI do. What
reading from one costs differs from a fiftieth to the whole price, so it has no usual value."""


def cost(price: Price | None, usage: RequestUsage | PricedUsage, *, model: str, endpoint: str) -> float | None:
    """US dollars for this usage; None when nobody knows the price of this model at this endpoint."""
    if price:
        return _configured(price, usage)
    if loopback(endpoint) or not model:
        return None
    # The bundled table only: nothing here starts genai-prices' updater.
    from genai_prices import calc_price

    try:
        # By address and not by model name alone: a gateway's price for a model is not its maker's.
        return float(calc_price(usage, model, provider_api_url=endpoint).total_price)
    except LookupError:
        return None


def ceiling(
    price: Price | None, input_tokens: int, output_tokens: int, *, model: str, endpoint: str, marks: bool
) -> float | None:
    """The most such a call can cost; writing to a vendor's prompt cache may cost more than plain input.

    `marks` says whether a call may ask to have its beginning kept there.
    """
    if price:
        writes = marks or price.cache_write_per_million is not None
        dearest = max(price.input_per_million, price.cached_per_million or 0.0, price.written if writes else 0.0)
        return (input_tokens * dearest + output_tokens * price.output_per_million) / 1_000_000
    if loopback(endpoint) or not model:
        return None
    from genai_prices import Usage

    plain = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    cached = Usage(input_tokens=input_tokens, cache_write_tokens=input_tokens, output_tokens=output_tokens)
    asked = (cost(price, usage, model=model, endpoint=endpoint) for usage in (plain, cached))
    return max((usd for usd in asked if usd is not None), default=None)


def _configured(price: Price, usage: RequestUsage | PricedUsage) -> float:
    """All input at its price, and the difference for what was read from a cache or written to one."""
    plain = price.input_per_million
    read = plain if price.cached_per_million is None else price.cached_per_million
    saved = int(usage.cache_read_tokens or 0) * (plain - read)
    more = int(usage.cache_write_tokens or 0) * (price.written - plain)
    given = int(usage.input_tokens or 0) * plain - saved + more
    return (given + int(usage.output_tokens or 0) * price.output_per_million) / 1_000_000
