"""Projections: what a log adds up to. Each is an empty value and a pure function of one more record."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from thoughtforge.kernel.events import Record

T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class Projection(Generic[T]):
    """One way to read a log. Values are immutable: a snapshot of them is kept and shared."""

    name: str
    empty: T
    apply: Callable[[T, Record], T]


PROJECTIONS: dict[str, Projection[Any]] = {}
"""Every registered projection by name. A room registers its own when it is imported."""


def register(projection: Projection[T]) -> Projection[T]:
    """Fold this projection in every log that is read from now on."""
    if PROJECTIONS.setdefault(projection.name, projection) is not projection:
        raise ValueError(f"two projections are called {projection.name}")
    return projection


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A log up to one record, in every registered projection."""

    seq: int
    values: Mapping[str, Any]

    def of(self, projection: Projection[T]) -> T:
        """The value of one projection."""
        value: T = self.values[projection.name]
        return value

    def after(self, records: Iterable[Record]) -> Snapshot:
        """The snapshot after more records; each is applied once to every projection."""
        values, seq = dict(self.values), self.seq
        for record in records:
            seq = record.seq
            for name in values:
                values[name] = PROJECTIONS[name].apply(values[name], record)
        return Snapshot(seq, MappingProxyType(values))


def empty() -> Snapshot:
    """The snapshot of a log without a record."""
    return Snapshot(0, MappingProxyType({name: one.empty for name, one in PROJECTIONS.items()}))
