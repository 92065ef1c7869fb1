"""A sentence in which two sources name two figures: `it ends on 31 October, but the invoice says 30 November`."""

from __future__ import annotations

import re
from typing import NamedTuple

from thoughtforge.providers.builtin.facts import facts
from thoughtforge.providers.builtin.sentences import cue

BUT = re.compile(
    r"^(?P<one>.+?)[,;]?\s+(?:but|while|whereas|although|yet|aber|pero)\s+(?P<other>.+?)\W*$", re.IGNORECASE
)


class DisputedFigure(NamedTuple):
    """The two halves of the sentence."""

    one: str
    other: str


def disputed_figure(text: str) -> DisputedFigure | None:
    """The halves, when each names one figure of the same kind, they differ, and somebody is said to say the second."""
    halves = BUT.match(text)
    if halves is None or not cue("speaker").search(halves["other"]):
        return None
    first, second = facts(halves["one"]), facts(halves["other"])
    for one in first:
        same = [other for other in second if other.kind == one.kind]
        alone = len(same) == 1 and sum(each.kind == one.kind for each in first) == 1
        if alone and same[0].value != one.value and same[0].about <= one.about:
            return DisputedFigure(halves["one"].strip(), halves["other"].strip())
    return None
