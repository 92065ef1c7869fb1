"""One severity jumps over its recent mean although the deliverable was already close to its thresholds."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.finding import SEVERITIES
from thoughtforge.polish.history import Action, GuardHit, History, Iteration

ACTIONS: tuple[Action, ...] = ("halt", "warn")


class Options(Value):
    """What counts as a jump, and as close."""

    window: int = Field(default=3, ge=1)
    """Reviews before this one that make the mean; the guard is silent until there are so many."""
    percent: int = Field(default=50, ge=0)
    """A severity must exceed its mean by more than this."""
    least: int = Field(default=2, ge=0)
    """And by at least so many findings."""
    near: int = Field(default=2, ge=1)
    """An earlier review within so many times the thresholds was close."""
    critical_max: int = Field(default=0, ge=0, le=0)
    medium_max: int = Field(default=3, ge=0)
    minor_max: int = Field(default=5, ge=0)


def look(history: History, parameters: Options) -> GuardHit | None:
    """A jump of any severity after near-convergence."""
    *before, last = history.iterations
    if len(before) < parameters.window or not any(_near(one, parameters) for one in before):
        return None
    for severity in SEVERITIES:
        count = getattr(last.counts, severity)
        recent = [getattr(one.counts, severity) for one in before[-parameters.window :]]
        # whole numbers times the window: a mean as a float would blur "exactly 50 %"
        over = count * parameters.window - sum(recent)
        if over * 100 > sum(recent) * parameters.percent and over >= parameters.least * parameters.window:
            mean = sum(recent) / parameters.window
            return GuardHit(
                f"{count} {severity} findings after a mean of {mean:.1f} in the {parameters.window} reviews before, "
                "although an earlier review was close to the thresholds.",
                {"severity": severity, "count": count, "mean": mean},
            )
    return None


def _near(iteration: Iteration, parameters: Options) -> bool:
    limits = (parameters.critical_max, parameters.medium_max, parameters.minor_max)
    return all(count <= parameters.near * limit for count, limit in zip(iteration.counts, limits, strict=True))
