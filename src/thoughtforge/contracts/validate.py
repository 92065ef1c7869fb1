"""Hold an artifact to its contract: every problem, in words that help; slips that cost nothing are repaired."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from thoughtforge.contracts.context import NOTHING_GIVEN, ValidationContext
from thoughtforge.contracts.contract import Contract
from thoughtforge.contracts.formats import EXAMPLES, FORMATS
from thoughtforge.contracts.rules import OLDER, RULES
from thoughtforge.contracts.shorthand import WHOLE, place
from thoughtforge.kernel.model import JsonObject, Problem

if TYPE_CHECKING:
    from jsonschema import FormatChecker, ValidationError


SHOWN = 80
KINDS = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "null",
}


def shown(value: Any) -> str:
    """A value as JSON, cut to one short line."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def kinds(names: Any) -> str:
    """The types a schema allows, in words."""
    listed = names if isinstance(names, list) else [names]
    return " or ".join(KINDS.get(str(name), str(name)) for name in listed)


def count(number: int, unit: str) -> str:
    """A number with its unit, in the singular where it is one."""
    return f"{number} {unit}" if number == 1 else f"{number} {unit}s"


def _bound(start: str, unit: str) -> Callable[[Any, Any], str]:
    return lambda limit, value: f"expected {start} {count(limit, unit)}, got {len(value)}"


WORDS: dict[str, Callable[[Any, Any], str]] = {
    "type": lambda names, value: f"expected {kinds(names)}, got {shown(value)}",
    "enum": lambda values, value: f"expected one of {', '.join(map(shown, values))}; got {shown(value)}",
    "const": lambda wanted, value: f"expected {shown(wanted)}, got {shown(value)}",
    "pattern": lambda pattern, value: f"expected text that matches {pattern}, got {shown(value)}",
    "format": lambda name, value: f"expected {EXAMPLES.get(name, name)}, got {shown(value)}",
    "minimum": lambda limit, value: f"expected at least {limit}, got {shown(value)}",
    "maximum": lambda limit, value: f"expected at most {limit}, got {shown(value)}",
    "exclusiveMinimum": lambda limit, value: f"expected more than {limit}, got {shown(value)}",
    "exclusiveMaximum": lambda limit, value: f"expected less than {limit}, got {shown(value)}",
    "minLength": _bound("at least", "character"),
    "maxLength": _bound("at most", "character"),
    "minItems": _bound("at least", "item"),
    "maxItems": _bound("at most", "item"),
    "minProperties": _bound("at least", "field"),
    "maxProperties": _bound("at most", "field"),
    "uniqueItems": lambda _, value: f"expected no item twice, got {shown(value)}",
}
"""Schema keyword → its sentence, from the keyword's value and what was found."""


def sentence(keyword: str, limit: Any, value: Any, *, otherwise: str) -> str:
    """The sentence for a keyword; `otherwise` is the library's own text for one nobody has worded."""
    words = WORDS.get(keyword)
    return words(limit, value) if words else (otherwise if len(otherwise) <= 240 else f"{otherwise[:239]}…")


MAX_DEPTH = 100


def check(artifact: object, contract: Contract, given: ValidationContext = NOTHING_GIVEN) -> tuple[Problem, ...]:
    """Every problem of the artifact; none means it meets the contract."""
    if _is_too_deep(artifact):
        # The validator recurses; such an artifact is refused before it can exhaust the stack.
        return (Problem(where=WHOLE, what=f"nested deeper than {MAX_DEPTH} levels", rule="depth"),)
    problems = [*_unreal_numbers(artifact), *schema_problems(artifact, contract.schema)]
    if isinstance(artifact, dict):
        for rule in contract.rules:
            problems += [found.model_copy(update={"rule": rule}) for found in (RULES | OLDER)[rule](artifact, given)]
    return tuple(dict.fromkeys(problems))


def schema_problems(artifact: object, schema: JsonObject) -> tuple[Problem, ...]:
    """What the schema alone says; also for things that are no artifacts, such as a tool's parameters."""
    from jsonschema import Draft202012Validator

    validator = Draft202012Validator(schema, format_checker=_format_checker())
    errors = _in_order(validator.iter_errors(artifact), artifact)
    return tuple(dict.fromkeys(problem for error in errors for problem in _problems(error, artifact)))


def _format_checker() -> FormatChecker:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    for name, is_valid in FORMATS.items():
        checker.checks(name)(lambda value, is_valid=is_valid: not isinstance(value, str) or is_valid(value))
    return checker


def _in_order(errors: Iterable[ValidationError], artifact: object) -> list[ValidationError]:
    """The errors in the order of the artifact; the validator goes through some keys in the order of a set."""
    return sorted(errors, key=lambda error: _position(error.absolute_path, artifact))


def _position(path: Iterable[str | int], artifact: Any) -> list[int]:
    position = []
    for step in path:
        position.append(step if isinstance(step, int) else list(artifact).index(step))
        artifact = artifact[step]
    return position


def _problems(error: ValidationError, artifact: object) -> Iterator[Problem]:
    where = _where(error.absolute_path)
    keyword = str(error.validator)
    limit: Any = error.validator_value
    value: Any = error.instance
    if keyword == "required":
        missing = [name for name in limit if name not in value]
        yield from (Problem(where=place(where, name), what="is missing", rule=keyword) for name in missing)
    elif keyword == "additionalProperties" and limit is False:
        yield from _strangers(where, value, error.schema)
    elif keyword in ("anyOf", "oneOf") and error.context:
        yield from _alternatives(error, where, artifact)
    else:
        what = sentence(keyword, limit, value, otherwise=error.message)
        yield Problem(where=where, what=what, rule=keyword)


def _strangers(where: str, value: JsonObject, schema: Any) -> Iterator[Problem]:
    known = list(schema.get("properties", {}))
    what = f"is an unknown field; the fields are {', '.join(known) or 'none'}"
    for name in value:
        if name not in known:
            yield Problem(where=place(where, name), what=what, rule="additionalProperties")


def _alternatives(error: ValidationError, where: str, artifact: object) -> Iterator[Problem]:
    """The problems of the one form that was meant, if the value's type shows which; else that no form fits."""
    forms: dict[int, list[ValidationError]] = {}
    for inner in error.context or ():
        forms.setdefault(int(inner.relative_schema_path[0]), []).append(inner)
    meant = [form for form in forms.values() if not any(e.validator == "type" and not e.relative_path for e in form)]
    if len(meant) == 1:
        for inner in _in_order(meant[0], artifact):
            yield from _problems(inner, artifact)
        return
    offered: Any = error.validator_value
    wanted = [kind for form in offered for kind in _types(form)]
    what = sentence("type", list(dict.fromkeys(wanted)), error.instance, otherwise="")
    yield Problem(where=where, what=what if wanted else error.message[:240], rule=str(error.validator))


def _types(form: Any) -> list[str]:
    kind = form.get("type", []) if isinstance(form, dict) else []
    return kind if isinstance(kind, list) else [kind]


def _where(path: Iterable[str | int]) -> str:
    where = WHOLE
    for step in path:
        where = place(where, step)
    return where


def _is_too_deep(artifact: object) -> bool:
    level: list[Any] = [artifact]
    for _ in range(MAX_DEPTH):
        level = [inner for value in level for inner in _inner(value)]
        if not level:
            return False
    return True


def _unreal_numbers(artifact: object) -> Iterator[Problem]:
    """NaN and infinity are in no range and in no JSON, yet every comparison of the validator lets NaN pass."""
    waiting: list[tuple[str, Any]] = [(WHOLE, artifact)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield Problem(where=where, what=f"expected a number, got {value}", rule="type")
        keys: Iterable[Any] = value.keys() if isinstance(value, dict) else range(len(value) if _is_list(value) else 0)
        waiting += [(place(where, key), value[key]) for key in reversed(list(keys))]


def _inner(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if _is_list(value) else []


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def repaired(schema: JsonObject, value: Any) -> Any:
    """A value with numbers, booleans, lists and objects that were written as text in their own type, and words of a
    choice that were written in other letters."""
    if isinstance(value, str):
        return _meant(schema.get("enum"), _read(schema, value))
    if isinstance(value, dict):
        known, other = schema.get("properties", {}), schema.get("additionalProperties")
        inner = other if isinstance(other, dict) else {}
        return {key: repaired(known.get(key, inner), each) for key, each in value.items()}
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [repaired(schema["items"], each) for each in value]
    return value


def _meant(choices: Any, value: Any) -> Any:
    """The one of the choices that a word is but for its capitals; the word itself when it is none or several."""
    if not isinstance(choices, list) or not isinstance(value, str) or value in choices:
        return value
    same = [choice for choice in choices if isinstance(choice, str) and choice.lower() == value.strip().lower()]
    return same[0] if len(same) == 1 else value


TYPES: dict[str, tuple[type, ...]] = {
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}


def _read(schema: JsonObject, text: str) -> Any:
    """The value a text stands for, where the schema takes no text; the text itself when it stands for nothing else."""
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if not kinds or "string" in kinds:
        return text
    try:
        read = json.loads(text.strip().lower() if "boolean" in kinds else text)
    except (ValueError, RecursionError):
        return text
    takes = any(isinstance(read, TYPES[kind]) for kind in kinds if kind in TYPES)
    if not takes or (isinstance(read, bool) and "boolean" not in kinds):
        return text
    return repaired(schema, read) if isinstance(read, dict | list) else read


def completed(schema: JsonObject, handed: JsonObject, last: JsonObject | None) -> JsonObject:
    """A hand-in with the fields it leaves out as the last refused one has them; unknown fields are lost."""
    if not last or not handed:
        return handed
    known = schema.get("properties", {})
    whole = {**{name: value for name, value in last.items() if name in known}, **handed}
    return {name: _merged(known.get(name, {}), value, last.get(name)) for name, value in whole.items()}


def _merged(schema: JsonObject, value: Any, last: Any) -> Any:
    """An object with named fields keeps those that were left out, too; lists and free keys are as handed in."""
    if not (isinstance(value, dict) and isinstance(last, dict) and schema.get("properties")):
        return value
    return completed(schema, value, last) if value else value
