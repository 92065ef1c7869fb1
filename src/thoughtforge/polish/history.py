"""The history of a polish loop as guards see it, and what a guard answers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from thoughtforge.polish.finding import PERSON, Counts, ReviewFinding, counted

Action = Literal["done", "halt", "warn"]


class GuardHit(NamedTuple):
    """A guard's condition holds."""

    sentence: str
    numbers: Mapping[str, Any]
    """What the sentence is made of, for programs."""
    action: Action | None = None
    """When the guard itself decides: a first rise only warns, a plateau with criticals halts. Else the profile does."""
    kind: str = ""
    """A word for what the loop does next, such as `regression`: then the best iteration is put back."""


@dataclass(frozen=True)
class Iteration:
    """One review and the state it was made on. What nobody measured counts as in order."""

    findings: tuple[ReviewFinding, ...]
    """Every open finding, those set aside too."""
    itemised: bool = True
    """False when only counts are known: the findings are then stand-ins without a text."""
    stated: Counts | None = None
    """Counts recorded beside the findings; where they disagree, the worse one bars success."""
    size: int | None = None
    """Characters of the deliverable."""
    hash: str | None = None
    """Of the deliverable."""
    full: bool = True
    """The review saw the whole deliverable, not only what changed."""
    tests_passed: bool = True
    refuted: frozenset[str] = frozenset()
    """Ids of findings that this review refuted for the first time: they count, and nobody tries to fix them."""
    spent: float = 0.0
    """The share of the tightest cap that is used up, 1 being all of it."""

    @cached_property
    def open(self) -> tuple[ReviewFinding, ...]:
        """The findings that count: those whose location exists."""
        return tuple(finding for finding in self.findings if finding.exists)

    @cached_property
    def aside(self) -> tuple[ReviewFinding, ...]:
        """The findings set aside because their location does not exist."""
        return tuple(finding for finding in self.findings if not finding.exists)

    @cached_property
    def counts(self) -> Counts:
        """The open findings by severity."""
        return counted(self.open)

    @cached_property
    def critical_open(self) -> int:
        """Criticals that bar success: those set aside too, and the larger number where two were recorded."""
        return max(counted(self.findings).critical, self.stated.critical if self.stated else 0)

    @property
    def bars(self) -> str:
        """Why this state can be no success, whatever a guard says; empty when nothing bars it."""
        if self.critical_open:
            return f"{self.critical_open} critical open"
        wanted = "; ".join(
            f"{one.id} {one.title or one.description}".rstrip(".") for one in self.findings if one.source == PERSON
        )
        if wanted:
            return f"what a person asked for is open: {wanted}"
        return "" if self.tests_passed else "tests fail"


@dataclass(frozen=True)
class History:
    """All iterations so far; the same finding has the same id in each of them (`identity.py` sees to that)."""

    iterations: tuple[Iteration, ...]
    earlier: tuple[Iteration, ...] = ()
    """Those before a person let the loop go on: guards count from there, but what was critical is never forgotten."""

    @property
    def before(self) -> int:
        """How many came before the first of these."""
        return len(self.earlier)

    @property
    def whole(self) -> tuple[Iteration, ...]:
        """Every iteration there ever was."""
        return (*self.earlier, *self.iterations)

    @property
    def reviews(self) -> int:
        """How many reviews guards look at."""
        return len(self.iterations)

    @property
    def number(self) -> int:
        """The number of the last one."""
        return self.before + len(self.iterations)

    @property
    def last(self) -> Iteration:
        """The newest iteration."""
        return self.iterations[-1]

    @cached_property
    def totals(self) -> tuple[int, ...]:
        """All open findings, review by review."""
        return tuple(iteration.counts.total for iteration in self.iterations)

    @cached_property
    def serious(self) -> tuple[int, ...]:
        """Critical and medium together, review by review."""
        return tuple(iteration.counts.serious for iteration in self.iterations)

    def until(self, number: int) -> History:
        """What was known after the iteration of that number."""
        return History(self.iterations[: number - self.before], self.earlier)

    def since(self, number: int) -> History:
        """What came after the iteration of that number."""
        return History(self.whole[number:], self.whole[:number])


MINORS_WITHIN = 2
"""Minors go to the fixer only while critical + medium are at most so many above the lowest."""


def best_iteration(history: History) -> int:
    """The number of the best iteration; of equal ones the latest, so that nothing is put back without a gain.

    What came before a person last asked for something has not got it, however good it was.
    """
    first = _since_wish(history)
    numbered = [*enumerate(history.whole, start=1)][first:]
    ranked = [(_rank(iteration), -number) for number, iteration in numbered if number > history.before]
    return -min(ranked or [(_rank(iteration), -number) for number, iteration in numbered])[1]


def _since_wish(history: History) -> int:
    """How many iterations lack what a person asked for last; the one that took it up too, when others follow."""
    known, found = set[str](), 0
    for place, iteration in enumerate(history.whole):
        wishes = {one.id for one in iteration.findings if one.source == PERSON}
        if wishes - known:
            found = place + 1
        known |= wishes
    return min(found, len(history.whole) - 1)


def _rank(iteration: Iteration) -> tuple[bool, bool, int, int, int, float]:
    """A person's wishes, tests, criticals, mediums, minors, size: smaller is better, and an unknown size is not."""
    counts = iteration.counts
    size = math.inf if iteration.size is None else iteration.size
    wished = any(one.source == PERSON for one in iteration.findings)
    return (wished, not iteration.tests_passed, iteration.critical_open, counts.medium, counts.minor, size)


def for_fixer(history: History) -> tuple[ReviewFinding, ...]:
    """The findings of the newest review that are to be fixed now; those set aside or refuted are not."""
    minors = history.serious[-1] <= min(history.serious) + MINORS_WITHIN
    wanted = (finding for finding in history.last.open if finding.id not in history.last.refuted)
    return tuple(finding for finding in wanted if minors or finding.severity != "minor")
