"""Models without a known price: under a cap on money they stop at the first call, so it is said before."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtforge.agent.run import Agent
from thoughtforge.calls.port import Model
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.model import Caps

FREE = "price: {input_per_million: 0, output_per_million: 0}"
FLAG = "--allow-unknown-cost"


def priced(model: Model) -> bool:
    """Whether the model knows what a call can cost."""
    return model.reserve("", "", 1, None).usd is not None


def stops_at_once(caps: Caps, *, model: Model) -> bool:
    """Whether these caps stop the model at its first call."""
    return caps.usd is not None and not caps.unknown_usd and not priced(model)


def advice(names: Iterable[str]) -> str:
    """What gives a provider a price; a model on this machine usually has none to pay."""
    places = " and ".join(f"providers.{one}" for one in names)
    return f"Set a price under {places} (thoughtforge config edit), {FREE} if it costs nothing"


def require_price(agents: Iterable[Agent], caps: Caps, *, command: str) -> None:
    """Raise a UserError when the first call would stop for its price; `command` goes on without counting money."""
    names = sorted({one.provider for one in agents if stops_at_once(caps, model=one.model)})
    if names:
        raise UserError(
            f"the price of {', '.join(names)} is unknown, and a cap of ${caps.usd:.2f} is set",
            do=f"{advice(names)}; or go on without counting money: {command} {FLAG}",
        )
