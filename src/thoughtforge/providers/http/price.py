"""What a call costs: from the configured price, else from the table that comes with genai-prices, else unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from thoughtforge.providers.http.options import Options, Price

if TYPE_CHECKING:
    from genai_prices import Usage as PricedUsage
    from pydantic_ai.usage import RequestUsage


def cost(options: Options, usage: RequestUsage | PricedUsage, model: str) -> float | None:
    """US dollars for this usage; None when nobody knows the price of this model at this endpoint."""
    if options.price:
        return _flat(options.price, int(usage.input_tokens or 0), int(usage.output_tokens or 0))
    if options.loopback:
        return None
    # The bundled table only: nothing here starts genai-prices' updater.
    from genai_prices import calc_price

    try:
        # By address and not by model name alone: a gateway's price for a model is not its maker's.
        return float(calc_price(usage, model, provider_api_url=options.endpoint).total_price)
    except LookupError:
        return None


def ceiling(options: Options, input_tokens: int, output_tokens: int) -> float | None:
    """The most such a call can cost; writing to a vendor's prompt cache may cost more than plain input."""
    if options.price:
        return _flat(options.price, input_tokens, output_tokens)
    if options.loopback:
        return None
    from genai_prices import Usage

    plain = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    cached = Usage(input_tokens=input_tokens, cache_write_tokens=input_tokens, output_tokens=output_tokens)
    known = [usd for usage in (plain, cached) if (usd := cost(options, usage, options.model)) is not None]
    return max(known, default=None)


def _flat(price: Price, input_tokens: int, output_tokens: int) -> float:
    return (input_tokens * price.input_per_million + output_tokens * price.output_per_million) / 1_000_000
