"""Critical and medium findings together reach no new low any more: good enough, getting worse, or stuck."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Options(Value):
    """How long to wait, and what to call it then."""

    patience: int = Field(default=4, ge=1)
    """Reviews without a new low."""
    near: int = Field(default=3, ge=0)
    """The last review may be so many above the best one and still end well."""
    factor: float = Field(default=1.5, ge=1, allow_inf_nan=False)
    above: int = Field(default=3, ge=0)
    """A mean of the waited reviews over factor × best + above is a regression."""
    critical: int = Field(default=2, ge=1)
    """Reviews in a row with an open critical after which the loop halts."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """After enough reviews without a new low: done, halt, or go on."""
    best = min(history.serious)
    waited = history.reviews - 1 - history.serious.index(best)
    if waited < parameters.patience:
        return None
    last, recent = history.serious[-1], history.serious[-parameters.patience :]
    mean, limit = sum(recent) / len(recent), parameters.factor * best + parameters.above
    told = f"No new low of critical + medium for {waited} reviews (best {best}, last {last}"
    numbers = {"best": best, "last": last, "mean": mean, "waited": waited}
    if last <= best + parameters.near and not history.last.bars:
        return GuardHit(f"{told}, at most {parameters.near} above it).", numbers)
    if mean > limit:
        sentence = f"{told}); the mean of the last {len(recent)} is {mean:.1f}, more than {limit:g}: findings increase."
        return GuardHit(sentence, numbers, action="halt", kind="regression")
    recent_ones = history.iterations[-parameters.critical :]
    if all(one.critical_open for one in recent_ones):
        sentence = f"{told}); a critical is open in each of the last {len(recent_ones)} reviews: {history.last.bars}."
        return GuardHit(sentence, numbers, action="halt", kind="critical")
    return None
