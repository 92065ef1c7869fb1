"""Whether two values are the same, both as JSON: the expected one as written, the other as the box told it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

TOLERANCE = 1e-9
"""How far a written-out fraction may be from the result, in proportion: nobody writes seventeen digits."""
MOST_TRIED = 500
"""Items of an unordered value that are held against each other one by one; more of them must be spelled alike."""
ROWS = ("tuple", "iterator", "deque")
UNORDERED = ("set", "frozenset")


def same(expected: Any, actual: Any) -> bool:
    """Whether a result is what was expected, both as JSON. A list also stands for a tuple and for what is iterated."""
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None or actual is None:
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return _same_number(expected, actual)
    if isinstance(expected, str) or isinstance(actual, str):
        return isinstance(expected, str) and isinstance(actual, str) and expected == actual
    if isinstance(expected, list):
        items = rows(actual)
        return items is not None and _same_rows(expected, items)
    if not isinstance(expected, Mapping) or not isinstance(actual, Mapping):
        return False
    if "$" in expected or "$" in actual:
        return _same_tagged(expected, actual)
    return expected.keys() == actual.keys() and all(same(value, actual[key]) for key, value in expected.items())


def rows(value: Any) -> list[Any] | None:
    """The items of a result that has an order; None when it has none."""
    if isinstance(value, list):
        return value
    if isinstance(value, Mapping) and value.get("$") in ROWS:
        return list(value["items"])
    if isinstance(value, Mapping) and value.get("$") == "named_tuple":
        return list(value["fields"].values())
    return None


def type_of(value: Any) -> str:
    """The name of a result's type."""
    if isinstance(value, Mapping):
        tag = value.get("$")
        return str(value.get("type", tag)) if tag else "dict"
    return "None" if value is None else type(value).__name__


def members(value: Any) -> list[Any] | None:
    """The items, keys or characters of a result; None when it has none."""
    if isinstance(value, str):
        return list(value)
    if isinstance(value, Mapping):
        if value.get("$") == "dict":
            return [key for key, _ in value["items"]]
        if value.get("$") == "bytes":
            return list(bytes.fromhex(value["value"]))
        if value.get("$") in UNORDERED:
            return list(value["items"])
        return rows(value) if "$" in value else list(value)
    return rows(value)


def _same_number(expected: float, actual: float) -> bool:
    if isinstance(expected, int) and isinstance(actual, int):
        return expected == actual
    return math.isclose(expected, actual, rel_tol=TOLERANCE, abs_tol=1e-12)


def _same_rows(expected: Sequence[Any], actual: Sequence[Any]) -> bool:
    return len(expected) == len(actual) and all(map(same, expected, actual))


def same_any_order(expected: Sequence[Any], actual: Sequence[Any]) -> bool:
    """Whether both have the same items."""
    if len(expected) != len(actual):
        return False
    if len(expected) > MOST_TRIED:
        return sorted(map(_spelled, expected)) == sorted(map(_spelled, actual))
    left = list(actual)
    for item in expected:
        place = next((number for number, other in enumerate(left) if same(item, other)), None)
        if place is None:
            return False
        del left[place]
    return not left


def _spelled(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _same_tagged(expected: Mapping[str, Any], actual: Mapping[str, Any]) -> bool:
    tag = expected.get("$")
    if tag != actual.get("$") or tag in ("object", "large"):
        return False
    if tag in UNORDERED or tag == "dict":
        return same_any_order(expected.get("items", []), actual.get("items", []))
    if "items" in expected:
        return _same_rows(expected["items"], actual.get("items", []))
    if not _same_type(expected.get("type"), actual.get("type")):
        return False
    if tag == "decimal":
        return _decimal(expected.get("value")) == _decimal(actual.get("value"))
    return all(same(expected.get(key), actual.get(key)) for key in ("value", "name", "fields"))


def _same_type(expected: Any, actual: Any) -> bool:
    """Whether a type is the one named, with or without its module."""
    return expected in (None, actual) or expected == str(actual).rpartition(".")[2]


def _decimal(text: Any) -> Decimal | None:
    try:
        return Decimal(str(text))
    except InvalidOperation:
        return None
