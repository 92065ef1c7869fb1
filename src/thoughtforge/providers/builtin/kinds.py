"""Plan or code, which kind of plan, which language: read off single words, which are named as the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.providers.builtin.cues import cue, cues
from thoughtforge.providers.builtin.texts import CHANGED, FOR_CODE, FOR_PLAN, NO_SIGNS

TO_CODE = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |type:?\s*|deliverable type:?\s*)?code\W*$", re.IGNORECASE
)
TO_PLAN = re.compile(
    r"^\W*(?:change (?:it )?to |make it |it is |keep |type:?\s*|deliverable type:?\s*)?(?:a )?plan\W*$", re.IGNORECASE
)
SHOWN = 5


class Kind(NamedTuple):
    """Plan or code, why, and whether the notes leave it open."""

    name: str
    reason: str
    open: bool


def deliverable(texts: Sequence[str]) -> Kind:
    """Both kinds of signs make a plan with a question; a message that says only which it is decides."""
    for text in reversed(texts):
        for name, pattern in (("code", TO_CODE), ("plan", TO_PLAN)):
            if pattern.match(text):
                return Kind(name, f"{CHANGED} {' '.join(text.split())}", False)
    code, plan = signs(cue("code"), texts), signs(cue("plan"), texts)
    if code and plan:
        return Kind("plan", f"{FOR_PLAN} {', '.join(plan)}. {FOR_CODE} {', '.join(code)}.", True)
    if code:
        return Kind("code", f"{FOR_CODE} {', '.join(code)}.", False)
    return Kind("plan", f"{FOR_PLAN} {', '.join(plan)}." if plan else NO_SIGNS, False)


def signs(pattern: re.Pattern[str], texts: Sequence[str]) -> list[str]:
    """The words found, as the person wrote them, each once."""
    found = {word.casefold(): word for text in texts for word in pattern.findall(text)}
    return list(found.values())[:SHOWN]


def plan_kind(texts: Sequence[str], known: Sequence[str]) -> str:
    """The kind whose words occur most; generic when none does."""
    counts = {name: sum(len(pattern.findall(text)) for text in texts) for name, pattern in cues("kinds").items()}
    possible = {name: count for name, count in counts.items() if count and (not known or name in known)}
    return max(possible, key=lambda name: possible[name]) if possible else "generic"


def language(texts: Sequence[str]) -> str | None:
    """The programming language the person named first in our list; None when they named none."""
    return next(
        (name for name, pattern in cues("languages").items() if any(pattern.search(text) for text in texts)), None
    )
