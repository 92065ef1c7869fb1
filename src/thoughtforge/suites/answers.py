"""Holds what a case answered against what was expected. Only here are both known, and no agent's code runs here."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from thoughtforge.suites.cases import ArgvCase, CallCase, HttpCase, Property
from thoughtforge.suites.compare import members, rows, same, same_any_order, type_of


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
            wrong.append(f"it has not the items of argument {wanted.same_items_as_input}")
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


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 300 else f"{text[:299]}…"
