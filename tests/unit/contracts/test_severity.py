"""One severity scale: every word of the seeds and every SARIF level lands on it, an unknown word on the worst."""

from __future__ import annotations

import pytest

from thoughtforge.contracts.context import SARIF_LEVELS, WORDS, Severity, severity_of

CRITICAL, MEDIUM, MINOR, SUGGESTION = Severity

MAPPING = {
    "critical": CRITICAL,
    "medium": MEDIUM,
    "minor": MINOR,
    "suggestion": SUGGESTION,
    "blocking": CRITICAL,
    "blocker": CRITICAL,
    "high": CRITICAL,
    "must_address": CRITICAL,
    "major": MEDIUM,
    "significant": MEDIUM,
    "moderate": MEDIUM,
    "advisory": MEDIUM,
    "should_consider": MEDIUM,
    "low": MINOR,
    "info": SUGGESTION,
    "informational": SUGGESTION,
    "error": CRITICAL,
    "warning": MEDIUM,
    "note": MINOR,
    "none": SUGGESTION,
}


def test_every_word_has_its_place_on_the_scale() -> None:
    assert WORDS == MAPPING
    assert {word: severity_of(word) for word in MAPPING} == MAPPING


@pytest.mark.parametrize("written", ["MUST-ADDRESS", " must address ", "Must_Address"])
def test_the_way_a_word_is_written_does_not_matter(written: str) -> None:
    assert severity_of(written) is CRITICAL


@pytest.mark.parametrize("word", ["", "catastrophic", "fine", "lowish", "null"])
def test_an_unknown_word_counts_as_the_worst(word: str) -> None:
    assert severity_of(word) is CRITICAL


def test_the_sarif_level_of_a_severity_leads_back_to_it() -> None:
    assert {severity: severity_of(level) for severity, level in SARIF_LEVELS.items()} == {s: s for s in Severity}


def test_the_scale_is_ordered_worst_first() -> None:
    assert [str(severity) for severity in Severity] == ["critical", "medium", "minor", "suggestion"]
