"""How the repository stood before the task: what passed, what failed, what wavered, what the gate already found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.suites.result import Report


class Baseline(NamedTuple):
    """The base commit, measured."""

    outcomes: Mapping[str, str] = {}
    """Test id → passed, failed or skipped."""
    flaky: frozenset[str] = frozenset()
    """Tests that answered differently the second time; they decide nothing."""
    seconds: Mapping[str, float] = {}
    """Test id → how long it took."""
    unreadable: tuple[str, ...] = ()
    """Test files that cannot be collected at the base commit."""

    @property
    def passing(self) -> frozenset[str]:
        """What must still pass at the end."""
        return frozenset(id for id, outcome in self.outcomes.items() if outcome == "passed") - self.flaky

    @property
    def failing(self) -> tuple[str, ...]:
        """What failed already, both times."""
        return tuple(
            sorted(id for id, outcome in self.outcomes.items() if outcome == "failed" and id not in self.flaky)
        )

    def data(self) -> JsonObject:
        """As it is kept."""
        return {
            "outcomes": dict(self.outcomes),
            "flaky": sorted(self.flaky),
            "seconds": dict(self.seconds),
            "unreadable": list(self.unreadable),
        }


def of(first: Report, second: Report) -> Baseline:
    """Two runs of the same suite; where they differ the test is flaky."""
    outcomes = {id: result.outcome for id, result in first.results.items()}
    again = {id: result.outcome for id, result in second.results.items()}
    return Baseline(
        outcomes=outcomes,
        flaky=frozenset(id for id in {**outcomes, **again} if outcomes.get(id) != again.get(id)),
        seconds={id: round(result.seconds, 4) for id, result in first.results.items()},
        unreadable=tuple(sorted({item.path for item in first.unreadable})),
    )


def from_data(data: JsonObject) -> Baseline:
    """What `data` kept."""
    return Baseline(
        outcomes=data["outcomes"],
        flaky=frozenset(data["flaky"]),
        seconds=data["seconds"],
        unreadable=tuple(data["unreadable"]),
    )
