"""The findings meet the thresholds, and the reviews are trustworthy."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("done",)


class Options(Value):
    """What must hold."""

    critical_max: int = Field(default=0, ge=0, le=0)
    medium_max: int = Field(default=3, ge=0)
    minor_max: int = Field(default=5, ge=0)
    without_critical: int = Field(default=2, ge=1)
    """Reviews at the end of the history in which no critical may be open."""
    fixed: bool = True
    """A review must mark every finding that was ever critical as fixed by its id; a lower severity is not enough."""
    full: bool = True
    """The review saw the whole deliverable."""
    repeat_empty: bool = True
    """A review without findings must be repeated once; the second one counts."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Done when every condition holds."""
    last, counts = history.last, history.last.counts
    most = (parameters.critical_max, parameters.medium_max, parameters.minor_max)
    if any(count > limit for count, limit in zip(counts, most, strict=True)) or last.bars:
        return None
    if any(one.critical_open for one in history.whole[-parameters.without_critical :]):
        return None
    if (parameters.full and not last.full) or (parameters.fixed and _still_there(history)):
        return None
    if parameters.repeat_empty and _needs_repeating(history):
        return None
    limits = f"at most {most[0]}, {most[1]} and {most[2]}"
    return GuardHit(
        f"The thresholds are met: {counts.words()} ({limits}).",
        {**counts._asdict(), "critical_max": most[0], "medium_max": most[1], "minor_max": most[2]},
    )


def _still_there(history: History) -> bool:
    """Whether a finding that was critical before is still open under a milder name."""
    before = [one for one in history.whole[:-1] if one.itemised]
    critical = {finding.id for one in before for finding in one.findings if finding.severity == "critical"}
    return history.last.itemised and any(finding.id in critical for finding in history.last.findings)


def _needs_repeating(history: History) -> bool:
    """Nothing was found now, and the review before was not already empty."""
    last = [one.counts.total for one in history.whole[-2:]]
    return last[-1] == 0 and (len(last) == 1 or last[0] > 0)
