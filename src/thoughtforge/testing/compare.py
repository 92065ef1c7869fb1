"""Compares the answer of a case with the expected one. Only this module knows both, and no agent's code runs here."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

from thoughtforge.testing.cases import ArgvCase, CallCase, HttpCase, Property


def lacking(wanted: Property, value: Any, inputs: Sequence[Any]) -> list[str]:
    """What of a property does not hold; `matches` is tried elsewhere, because a pattern may run for ever."""
    wrong = []
    if wanted.type and wanted.type not in (type_of(value), type_of(value).rpartition(".")[2]):
        wrong.append(f"its type is {type_of(value)}, not {wanted.type}")
    items = members(value)
    if wanted.length is not None and (items is None or len(items) != wanted.length):
        wrong.append(f"its length is {'unknown' if items is None else len(items)}, not {wanted.length}")
    if "contains" in wanted.model_fields_set and not _contains(value, wanted.contains):
        wrong.append(f"it does not contain {_shown(wanted.contains)}")
    if wanted.sorted and not _is_sorted(rows(value)):
        wrong.append("it is not sorted")
    wrong += _outside(wanted, value)
    return wrong + _unlike_input(wanted, value, inputs)


def unlike_call(case: CallCase, answer: Mapping[str, Any]) -> list[str]:
    """What a call's answer has wrong."""
    if case.raises:
        return _unlike_error(case, answer)
    if "raised" in answer:
        first = str(next(iter(answer["raised"]), ""))
        return [f"it raised {first}: {answer.get('message', '')}"]
    if "value" not in answer:
        return [str(answer.get("unusable", "it gave no answer"))]
    wrong = []
    if "expect" in case.model_fields_set and not same(case.expect, answer["value"]):
        wrong.append(f"expected {_shown(case.expect)}, got {_shown(answer['value'])}")
    if case.stdout is not None and answer.get("stdout") != case.stdout:
        wrong.append(f"expected it to print {_shown(case.stdout)}, got {_shown(answer.get('stdout'))}")
    if case.property is not None:
        wrong += lacking(case.property, answer["value"], case.args)
    return wrong


def unlike_argv(case: ArgvCase, answer: Mapping[str, Any]) -> list[str]:
    """What a program's answer has wrong."""
    if "exit" not in answer:
        return [str(answer.get("unusable", "it gave no answer"))]
    wrong = []
    if case.exit is not None and answer["exit"] != case.exit:
        wrong.append(f"expected exit code {case.exit}, got {answer['exit']}: {str(answer.get('stderr'))[-500:]}")
    if case.stdout is not None and answer.get("stdout") != case.stdout:
        wrong.append(f"expected the output {_shown(case.stdout)}, got {_shown(answer.get('stdout'))}")
    wrong += _without("the output", answer.get("stdout"), case.stdout_contains)
    wrong += _without("the error output", answer.get("stderr"), case.stderr_contains)
    if "stdout_json" in case.model_fields_set:
        wrong += _unlike_json("the output", answer.get("stdout"), case.stdout_json)
    files = answer.get("files")
    for name, text in case.writes.items():
        written = files.get(name) if isinstance(files, Mapping) else None
        wrong += [] if written == text else [f"expected the file {name} to hold {_shown(text)}, got {_shown(written)}"]
    return wrong


def unlike_http(case: HttpCase, answer: Mapping[str, Any]) -> list[str]:
    """What a server's answer has wrong."""
    if "status" not in answer:
        return [str(answer.get("unusable", "it gave no answer"))]
    wrong = []
    if case.status is not None and answer["status"] != case.status:
        wrong.append(f"expected status {case.status}, got {answer['status']}")
    wrong += _without("the answer", answer.get("body"), case.body_contains)
    if "body_json" in case.model_fields_set:
        wrong += _unlike_json("the answer", answer.get("body"), case.body_json)
    return wrong


def _contains(value: Any, wanted: Any) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return wanted in value
    return any(same(wanted, item) for item in members(value) or ())


def _is_sorted(items: list[Any] | None) -> bool:
    if items is None:
        return False
    try:
        return all(first <= second for first, second in zip(items, items[1:], strict=False))
    except TypeError:
        return False


def _outside(wanted: Property, value: Any) -> list[str]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    wrong = []
    if wanted.at_least is not None and not (is_number and value >= wanted.at_least):
        wrong.append(f"{_shown(value)} is not at least {wanted.at_least}")
    if wanted.at_most is not None and not (is_number and value <= wanted.at_most):
        wrong.append(f"{_shown(value)} is not at most {wanted.at_most}")
    return wrong


def _unlike_input(wanted: Property, value: Any, inputs: Sequence[Any]) -> list[str]:
    wrong = []
    if wanted.equals_input is not None and not same(_nth(inputs, wanted.equals_input), value):
        wrong.append(f"it does not equal argument {wanted.equals_input}")
    if wanted.same_items_as_input is not None:
        wanted_items, items = members(_nth(inputs, wanted.same_items_as_input)), members(value)
        if wanted_items is None or items is None or not same_any_order(wanted_items, items):
            wrong.append(f"it does not have the items of argument {wanted.same_items_as_input}")
    return wrong


def _nth(inputs: Sequence[Any], number: int) -> Any:
    return inputs[number] if number < len(inputs) else {"$": "object"}


def _unlike_error(case: CallCase, answer: Mapping[str, Any]) -> list[str]:
    if "raised" not in answer:
        return [f"expected {case.raises}, got {_shown(answer.get('value', answer.get('unusable', 'no answer')))}"]
    names = [str(name) for name in answer["raised"]]
    if not any(case.raises in (name, name.rpartition(".")[2]) for name in names):
        return [f"expected {case.raises}, it raised {names[0] if names else 'something'}: {answer.get('message', '')}"]
    if case.message and case.message not in str(answer.get("message", "")):
        return [f"expected an error that says {case.message!r}, got {answer.get('message')!r}"]
    return []


def _without(what: str, text: Any, parts: Sequence[str]) -> list[str]:
    return [f"{what} does not contain {part!r}: {_shown(text)}" for part in parts if part not in str(text)]


def _unlike_json(what: str, text: Any, expected: Any) -> list[str]:
    try:
        found = json.loads(str(text))
    except (ValueError, RecursionError):
        return [f"{what} is not JSON: {_shown(text)}"]
    return [] if same(expected, found) else [f"expected {what} to be {_shown(expected)}, got {_shown(found)}"]


LONGEST = 2_000
"""Characters of a value in what is told a person."""


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


TOLERANCE = 1e-9
"""How far a written-out fraction may be from the result, in proportion: nobody writes seventeen digits."""
MOST_TRIED = 500
"""Items of an unordered value to compare one by one; more of them must be spelled alike."""
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
