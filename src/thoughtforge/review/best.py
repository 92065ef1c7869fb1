"""The best iteration so far, and what the fixer is given of the newest one."""

from __future__ import annotations

import math

from thoughtforge.review.finding import Finding
from thoughtforge.review.history import History, Iteration

MINORS_WITHIN = 2
"""Minors go to the fixer only while critical + medium are at most so many above the lowest."""


def best_iteration(history: History) -> int:
    """The number of the best iteration; of equal ones the latest, so that nothing is put back without a gain."""
    ranked = [(_rank(iteration), -number) for number, iteration in enumerate(history.iterations, start=1)]
    return -min(ranked)[1]


def _rank(iteration: Iteration) -> tuple[bool, int, int, int, float]:
    """Tests, criticals, mediums, minors, size: smaller is better, and an unknown size is no small one."""
    counts = iteration.counts
    size = math.inf if iteration.size is None else iteration.size
    return (not iteration.tests_passed, iteration.critical_open, counts.medium, counts.minor, size)


def for_fixer(history: History) -> tuple[Finding, ...]:
    """The findings of the newest review that are to be fixed now; those set aside are not."""
    minors = history.serious[-1] <= min(history.serious) + MINORS_WITHIN
    return tuple(finding for finding in history.last.open if minors or finding.severity != "minor")
