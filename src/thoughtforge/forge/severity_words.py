"""The words auditors use for severities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditSeverity

MaxSeverity = AuditSeverity | Literal["none"]
WORDS: Mapping[str, MaxSeverity] = {
    "blocking": "blocking",
    "high": "blocking",
    "medium": "medium",
    "minor": "minor",
    "low": "minor",
    "suggestion": "suggestion",
    "suggestions": "suggestion",
    "none": "none",
    "no": "none",
    "nothing": "none",
    "non-blocking": "minor",
    "nonblocking": "minor",
}
"""Everything else that stands where a severity belongs counts as blocking."""
KNOWN = r"(?:blocking|high|medium|minor|low|suggestions?)"
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
ZERO = re.compile(
    r"(?:0+(?:[ \t]+[^\W\d]+)?|(?:none|nil|nothing|n/?a)\b"
    r"(?:[ \t]+(?:found|identified|noted|left|remain(?:s|ing)?|here|so far|to report|at all|at this time|this round))?"
    r"|no[ \t]+(?:\w+[ \t]+)?(?:issues?|concerns?|findings?|problems?|items?)"
    r"(?:[ \t]+(?:found|identified|noted|left|remain))?|no|-+|–|—|null|false|\[\])[ \t]*(?:$|[.,;)*_`|(])",
    re.IGNORECASE,
)
"""What stands behind a severity of which nothing was found: 0, none, n/a."""


@lru_cache(maxsize=1_000)  # auditors have few words
def severity_of(word: str) -> MaxSeverity | None:
    """The severity a value states, by its strictest word; an unknown word is blocking, an empty value states none."""
    words = [found.lower() for found in WORD.findall(word)]
    if not words:
        return "blocking" if word.strip() else None
    if words[0] == "null":
        return None
    if words[0] in ("no", "none", "nothing"):
        return "none"
    if words[:2] in (["not", "blocking"], ["non", "blocking"]):
        return "minor"
    known = [WORDS[each] for each in words if each in WORDS]
    return worst(known) if known else "blocking"


def worst(severities: Iterable[MaxSeverity]) -> MaxSeverity:
    """The strictest of them."""
    found = set(severities)
    return next((one for one in AUDIT_SEVERITIES if one in found), "none")
