"""Failures that say the same are told once: who mends one mends them all."""

from __future__ import annotations

from collections.abc import Iterable

NAMED = 2
"""Others of a group that are named."""


def alike(failures: Iterable[tuple[str, str]]) -> list[str]:
    """A line for each error, from pairs of a test and its error: the first test, and how many more fail so."""
    groups: dict[str, list[str]] = {}
    for test, error in failures:
        groups.setdefault(error, []).append(test)
    return [f"{tests[0]}{_others(tests[1:])}{error}" for error, tests in groups.items()]


def _others(tests: list[str]) -> str:
    if not tests:
        return " "
    left = f" and {len(tests) - NAMED} more" if len(tests) > NAMED else ""
    return f" (the same: {', '.join(tests[:NAMED])}{left}) "
