"""What the engine knows beyond the artifact itself; rules judge with it and never guess without it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject


class ValidationContext(NamedTuple):
    """Facts for the rules. What is unknown is left at its default and then not judged."""

    artifacts: Mapping[str, JsonObject] = MappingProxyType({})
    """Contract name → the accepted artifact upstream."""
    paths: frozenset[str] | None = None
    """Files of the repository at the base commit; None means nobody looked."""
    request: str = ""
    """The whole request as the person gave it; empty for an artifact that belongs to another request."""
    contracts: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()
    measures: frozenset[str] = frozenset()
    """Names that exist; an empty set means the names were not looked up."""


NOTHING_GIVEN = ValidationContext()


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
