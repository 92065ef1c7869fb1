"""Constraints that seem to hold more than one limit: each is one entry, so that each can be traced by its id."""

from __future__ import annotations

import re
from collections.abc import Sequence

PARTS = re.compile(r"[;.!?]\s+|;|,?\s+(?:and|but|und|aber|sowie|y|et)\s+", re.IGNORECASE)
"""Where one limit may end and the next begin."""
LIMIT = re.compile(
    r"\d|\b(?:must|may|can(?:not|'t)?|not|no|never|only|without|at (?:most|least)|max(?:imum)?|min(?:imum)?|before|by"
    r"|until|within|nicht|kein\w*|nie|nur|ohne|höchstens|mindestens|bis|vor|spätestens)\b",
    re.IGNORECASE,
)
LEAST_WORDS = 3
"""Words of a part that says something by itself: “between 20 and 30” is one limit."""


def crowded(constraints: Sequence[str]) -> list[str]:
    """Those with two limits or more, as far as their words tell."""
    return [text for text in constraints if sum(map(_is_limit, PARTS.split(text))) > 1]


def _is_limit(part: str) -> bool:
    return len(part.split()) >= LEAST_WORDS and LIMIT.search(part) is not None
