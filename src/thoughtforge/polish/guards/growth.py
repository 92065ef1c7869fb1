"""The deliverable grows far beyond what was first reviewed."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("done", "halt", "warn")


class Options(Value):
    """How large is too large."""

    limit: float = Field(default=2.0, ge=1, allow_inf_nan=False)
    """The largest size, as a multiple of the size at the first review."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Larger than so many times the first size; an unknown size is never too large."""
    first, now = history.iterations[0].size, history.last.size
    if not first or now is None or now <= parameters.limit * first:
        return None
    return GuardHit(
        f"The deliverable grew from {first} to {now} ({now / first:.2f} times its first size, "
        f"more than {parameters.limit:g}).",
        {"first": first, "now": now, "times": now / first},
    )
