"""The number of findings falls and then jumps, or criticals come back after they were gone."""

from __future__ import annotations

from pydantic import Field

from thoughtforge.kernel.model import Value
from thoughtforge.polish.history import Action, GuardHit, History

ACTIONS: tuple[Action, ...] = ("halt", "warn")


class Options(Value):
    """What counts as a jump."""

    percent: int = Field(default=20, ge=0)
    """The total must rise by more than this."""
    falls: int = Field(default=2, ge=1)
    """Falls in a row before the jump."""
    clean: int = Field(default=2, ge=1)
    """Reviews in a row without a critical, after which a returning critical counts."""


def look(history: History, parameters: Options) -> GuardHit | None:
    """Either of the two."""
    return _jump(history, parameters) or _back(history, parameters)


def _jump(history: History, parameters: Options) -> GuardHit | None:
    totals, falls = history.totals, 0
    while falls + 2 < len(totals) and totals[-falls - 3] > totals[-falls - 2]:
        falls += 1
    if falls < parameters.falls:
        return None
    before, now = totals[-2:]
    if now * 100 <= before * (100 + parameters.percent):
        return None
    path = "→".join(str(total) for total in totals[-falls - 2 : -1])
    sentence = f"Findings fell {falls} times ({path}), then rose to {now} in iteration {history.number}."
    return GuardHit(sentence, {"before": before, "now": now, "totals": totals[-falls - 2 :]})


def _back(history: History, parameters: Options) -> GuardHit | None:
    criticals = [iteration.counts.critical for iteration in history.iterations]
    before = criticals[-parameters.clean - 1 : -1]
    if len(before) < parameters.clean or any(before) or not criticals[-1]:
        return None
    path = "→".join(str(count) for count in criticals[-parameters.clean - 1 :])
    sentence = f"{criticals[-1]} critical came back after {parameters.clean} reviews without one ({path})."
    return GuardHit(sentence, {"critical": criticals[-1], "clean": parameters.clean})
