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


SEMICOLON = re.compile(r";\s+")
HEAD = re.compile(r"[^:;]{1,60}:\s+")


def split(constraints: Sequence[str]) -> list[str]:
    """The constraints, those that hold several limits taken apart at their semicolons, where each part says something.

    What stands before a colon is said of each part.
    """
    return [part for text in constraints for part in _parts(text)]


def _parts(text: str) -> list[str]:
    parts = SEMICOLON.split(text.strip())
    if not crowded([text]) or len(parts) == 1 or any(len(part.split()) < LEAST_WORDS for part in parts):
        return [text]
    head = HEAD.match(parts[0])
    return [parts[0], *((head[0] if head else "") + part for part in parts[1:])]


def crowded(constraints: Sequence[str]) -> list[str]:
    """Those with two limits or more, as far as their words tell."""
    return [text for text in constraints if sum(map(_is_limit, PARTS.split(text))) > 1]


def _is_limit(part: str) -> bool:
    return len(part.split()) >= LEAST_WORDS and LIMIT.search(part) is not None
