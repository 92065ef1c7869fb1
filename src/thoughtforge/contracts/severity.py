"""One severity scale, and where every other word for it lands on it."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters, worst first."""

    critical = "critical"
    medium = "medium"
    minor = "minor"
    suggestion = "suggestion"


WORDS: dict[str, Severity] = {
    # the scale itself
    "critical": Severity.critical,
    "medium": Severity.medium,
    "minor": Severity.minor,
    "suggestion": Severity.suggestion,
    # words that stop the work
    "blocking": Severity.critical,
    "blocker": Severity.critical,
    "high": Severity.critical,
    "must_address": Severity.critical,
    # words that ask for a change
    "major": Severity.medium,
    "significant": Severity.medium,
    "moderate": Severity.medium,
    "advisory": Severity.medium,
    "should_consider": Severity.medium,
    # words for small things
    "low": Severity.minor,
    "info": Severity.suggestion,
    "informational": Severity.suggestion,
    # SARIF 2.1.0 levels
    "error": Severity.critical,
    "warning": Severity.medium,
    "note": Severity.minor,
    "none": Severity.suggestion,
}

SARIF_LEVELS: dict[Severity, str] = {
    Severity.critical: "error",
    Severity.medium: "warning",
    Severity.minor: "note",
    Severity.suggestion: "none",
}


def severity_of(word: str) -> Severity:
    """The scale's value for any known word; an unknown word counts as the worst, never as harmless."""
    return WORDS.get(word.strip().lower().replace(" ", "_").replace("-", "_"), Severity.critical)
