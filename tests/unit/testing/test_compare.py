"""What is the same and what is not, when one side is written by hand and the other came out of a box."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from thoughtforge.testing.compare import same, type_of
from thoughtforge.testing.inside.plain import decoded, encoded


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    HIGH = 3


class Point(NamedTuple):
    x: int
    y: int


@dataclasses.dataclass
class Book:
    title: str
    pages: tuple[int, ...] = ()


class Everything:
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Three(int):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


def counting() -> Iterator[int]:
    yield from range(3)


SAME: list[tuple[Any, Any]] = [
    (3, 3),
    (3, 3.0),
    (0.3, 0.1 + 0.2),
    (True, True),
    (None, None),
    ("ü", "ü"),
    ([1, [2]], [1, (2,)]),
    ([0, 1, 2], counting()),
    ([1, 2], Point(1, 2)),
    ([1], collections.deque([1])),
    ({"a": 1}, collections.Counter("a")),
    ({"$": "tuple", "items": [1]}, (1,)),
    ({"$": "set", "items": [2, 1]}, {1, 2}),
    ({"$": "dict", "items": [[2, "b"], [1, "a"]]}, {1: "a", 2: "b"}),
    ({"$": "bytes", "value": "00ff"}, b"\x00\xff"),
    ({"$": "float", "value": "inf"}, math.inf),
    ({"$": "float", "value": "nan"}, math.nan),
    ({"$": "decimal", "value": "1.5"}, decimal.Decimal("1.50")),
    ({"$": "date", "value": "2026-01-02"}, datetime.date(2026, 1, 2)),
    ({"$": "timedelta", "value": 90}, datetime.timedelta(minutes=1.5)),
    ({"$": "path", "value": "a/b"}, Path("a/b")),
    ({"$": "enum", "type": "Color", "name": "RED"}, Color.RED),
    ({"$": "enum", "name": "HIGH"}, Level.HIGH),
    ({"$": "dataclass", "type": "Book", "fields": {"title": "x", "pages": [1]}}, Book("x", (1,))),
    ({"$": "named_tuple", "type": "Point", "fields": {"x": 1, "y": 2}}, Point(1, 2)),
]
DIFFERENT: list[tuple[Any, Any]] = [
    (3, 4),
    (3, "3"),
    (3, True),
    (1, True),
    (0, False),
    (False, 0),
    (None, False),
    ("3", 3),
    ("", None),
    (3, Everything()),
    (True, Everything()),
    ([1], Everything()),
    ({"a": 1}, Everything()),
    ({"$": "object"}, Everything()),
    ({"$": "object", "type": "unit.suites.test_compare.Everything"}, Everything()),
    (3, Three(3)),
    (3, Level.HIGH),
    ([3], [Everything()]),
    ([1, 2], [2, 1]),
    ([1, 2], [1, 2, 3]),
    ([1, 2], {1, 2}),
    ({"a": 1}, {"a": 1, "b": 2}),
    ({"a": 1}, {"A": 1}),
    ({"$": "tuple", "items": [1]}, [1]),
    ({"$": "set", "items": [1, 1]}, {1}),
    ({"$": "enum", "type": "Shade", "name": "RED"}, Color.RED),
    ({"$": "decimal", "value": "1.5"}, 1.5),
    ("a/b", Path("a/b")),
    ({"title": "x", "pages": []}, Book("x")),
    ({"$": "dataclass", "type": "Book", "fields": {"title": "y", "pages": []}}, Book("x")),
]


def named(value: object) -> str:
    """The same words in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.mark.parametrize(("expected", "value"), SAME, ids=named)
def test_these_are_the_same(expected: Any, value: Any) -> None:
    assert same(expected, encoded(value))


@pytest.mark.parametrize(("expected", "value"), DIFFERENT, ids=named)
def test_these_are_not(expected: Any, value: Any) -> None:
    assert not same(expected, encoded(value))


def test_large_deep_and_endless_values_end() -> None:
    deep: list[Any] = []
    deep.append(deep)
    for value in (deep, list(range(10**6)), "x" * 10**6, (number for number in iter(int, 1)), 10**5000):
        assert not same(encoded(value), encoded(value))


def test_many_unordered_items_are_compared_by_how_they_are_spelled() -> None:
    many = encoded({f"{number}" for number in range(5000)})
    assert same(many, encoded({f"{number}" for number in range(5000)}))
    assert not same(many, encoded({f"{number}" for number in range(1, 5001)}))


def test_inputs_come_back_as_the_values_they_stand_for() -> None:
    value = {"a": [(1, 2), {3}, b"x", decimal.Decimal("1.5"), datetime.date(2026, 1, 2), Path("a")], "b": {1: (2,)}}
    assert decoded(encoded(value), lambda name: None) == value
    made = decoded({"$": "new", "target": "Book", "args": [{"$": "name", "target": "T"}]}, {"Book": Book, "T": "t"}.get)
    assert made == Book("t")


def test_types_are_named_as_people_write_them() -> None:
    values = [1, None, "x", {}, (1,), Everything()]
    assert [type_of(encoded(value)).rpartition(".")[2] for value in values] == [
        "int", "None", "str", "dict", "tuple", "Everything",
    ]  # fmt: skip
