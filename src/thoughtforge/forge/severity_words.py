"""The words auditors use for severities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

from thoughtforge.forge.findings import AUDIT_SEVERITIES, AuditSeverity

MaxSeverity = AuditSeverity | Literal["none"]
STRICT = """
blocker blockers catastrophic crit critical dealbreaker emergency fatal major must-fix mustfix p0 p1 s0 s1 serious sev-0
sev-1 sev0 sev1 severe show-stopper show-stoppers showstopper showstoppers urgent
"""
"""Words of other scales for what blocks."""
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
    **dict.fromkeys(STRICT.split(), "blocking"),
}
"""Everything else that stands where a severity belongs counts as blocking."""
OURS = r"(?:non-?blocking|blocking|high|medium|minor|low|suggestions?)"
FOREIGN = (
    r"(?:blockers?|catastrophic|crit(?:ical)?|dealbreaker|emergency|fatal|major|must[ -]?fix|serious|severe"
    r"|show[ -]?stoppers?|urgent|sev-?[01]|[ps][01])"
)
"""The words of `STRICT`."""
KNOWN = rf"(?:{OURS}|{FOREIGN})(?![^\W_])"
BEGINNINGS = {word[: 6 if word[:3] == "sev" else 4]: bad for word, bad in WORDS.items() if bad != "none"}
"""What the words begin with, and how bad that is at the worst."""
WORD = re.compile(r"[^\W\d_]+\d?(?:-[^\W\d_]+)*")
PARTS = re.compile(r"[/,;|→>]")
JOINED = (
    rf"(?:(?:[ \t]*(?:[/→&+]|[-=]>)[ \t]*|[ \t]+(?:(?:to|or|and|but|now)[ \t]+)+|-)[*_`(\[]*{KNOWN}"
    rf"|[ \t]*[)\]}}~*_`,—–|\"'(\[-][)\]}}~*_`,—–|\"'(\[ \t-]{{0,6}}{KNOWN}(?=[)\]}}~*_`\"' \t]*(?:$|[^\w\s])))"
)
"""One more severity behind another: medium / high, (minor) blocking; in prose behind a bracket no word is one."""
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
    first, *others = PARTS.split(word)
    more = (each for each in others if any(found.lower() in WORDS for found in WORD.findall(each)))
    stated = [found for found in map(_stated, (first, *more)) if found]
    return worst(stated) if stated else None


def _stated(part: str) -> MaxSeverity | None:
    words = [found.lower() for found in WORD.findall(part)]
    if not words:
        return "blocking" if part.strip() else None
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
