"""Where a run is killed: just before or just after an event is on record."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

MOMENTS = ("before", "after")


class Boundary(NamedTuple):
    """One moment of one event."""

    number: int
    """Which event of the record, from 1."""
    moment: str

    @property
    def name(self) -> str:
        """In two words."""
        return f"{self.number} {self.moment}"

    @property
    def at(self) -> str:
        """As the process that dies is told: there is one rename of `head` per event, in the same order."""
        return f"os.rename head {self.name}"


class Choose(Protocol):
    """What a test is given: it picks the boundaries of a run nobody disturbed."""

    def __call__(self, record: list[dict[str, Any]], *, after: int = 0) -> list[Boundary]: ...


def chosen(record: list[dict[str, Any]], *, after: int = 0, every: bool) -> list[Boundary]:
    """Every boundary of the events after the first few, or one per kind of event.

    Kind after kind it is before the first event of it and after the last one, so that both moments and both ends of a
    run are tried.
    """
    numbers = range(after + 1, len(record) + 1)
    if every:
        return [Boundary(number, moment) for number in numbers for moment in MOMENTS]
    places: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        places.setdefault(kind(record[number - 1]), []).append(number)
    ends = (
        Boundary(found[0], "before") if at % 2 == 0 else Boundary(found[-1], "after")
        for at, found in enumerate(places.values())
    )
    return sorted(ends, key=lambda one: (one.number, MOMENTS.index(one.moment)))


def neighbours(found: list[Boundary], part: int, parts: int) -> list[Boundary]:
    """One part of the boundaries: neighbours, so that no process runs further than it must."""
    size = -(-len(found) // parts)
    return found[part * size : (part + 1) * size]


def kind(event: dict[str, Any]) -> tuple[str, str]:
    """What sort of event it is; a measurement is of the sort of what was measured."""
    return event["type"], event.get("what", "")
