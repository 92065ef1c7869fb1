"""Contracts are written in a shorthand of JSON Schema; this brings them to JSON Schema 2020-12, and reads artifacts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject

WHOLE = "(whole)"
"""The place of a problem that concerns the artifact as such."""

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class ValueAt(NamedTuple):
    """A value and its place, written like `requirements[2].id`."""

    where: str
    value: Any


def place(where: str, key: str | int) -> str:
    """The place of an entry inside another place."""
    start = "" if where == WHOLE else where
    if isinstance(key, int):
        return f"{start}[{key}]"
    if not PLAIN_KEY.fullmatch(key):
        return f"{start}[{json.dumps(key, ensure_ascii=False)}]"
    return f"{start}.{key}" if start else key


def find(artifact: object, pattern: str) -> Iterator[ValueAt]:
    """Every value at a pattern such as `questions[].evidence[].file`; `*` stands for every key of a map."""
    return _walk(ValueAt(WHOLE, artifact), pattern.replace("[]", ".[]").removeprefix(".").split("."))


def _walk(here: ValueAt, steps: list[str]) -> Iterator[ValueAt]:
    if not steps:
        yield here
        return
    for inner in _entries(here, steps[0]):
        yield from _walk(inner, steps[1:])


def _entries(here: ValueAt, step: str) -> Iterator[ValueAt]:
    if step == "[]" and isinstance(here.value, list):
        yield from (ValueAt(place(here.where, number), item) for number, item in enumerate(here.value))
    elif step == "*" and isinstance(here.value, dict):
        yield from (ValueAt(place(here.where, str(key)), item) for key, item in here.value.items())
    elif isinstance(here.value, dict) and step in here.value:
        yield ValueAt(place(here.where, step), here.value[step])


def texts(artifact: object, *patterns: str) -> Iterator[ValueAt]:
    """The text values at the patterns."""
    for pattern in patterns:
        yield from (found for found in find(artifact, pattern) if isinstance(found.value, str))


def objects(artifact: object, pattern: str) -> Iterator[ValueAt]:
    """The objects at the pattern."""
    return (found for found in find(artifact, pattern) if isinstance(found.value, dict))


def words(artifact: object, *patterns: str) -> frozenset[str]:
    """The different texts at the patterns."""
    return frozenset(found.value for found in texts(artifact, *patterns))


def text(holder: JsonObject, key: str) -> str:
    """The text under a key, or nothing."""
    value = holder.get(key)
    return value if isinstance(value, str) else ""


def plain(value: str) -> str:
    """Text as it is compared: case and white space do not count."""
    return " ".join(value.casefold().split())


DRAFT = "https://json-schema.org/draft/2020-12/schema"

RENAMED = {
    "min_items": "minItems",
    "max_items": "maxItems",
    "min_length": "minLength",
    "max_length": "maxLength",
}
MAPS = frozenset({"properties", "patternProperties", "$defs", "dependentSchemas"})
"""Keywords that hold a map of schemas; its keys are names, never keywords."""
LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
SINGLES = frozenset(
    {
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
SAME_OBJECT = frozenset({"allOf", "not", "if", "then", "else", "dependentSchemas"})
"""These look at the object a second time: closing it there would refuse the properties named elsewhere."""


class Part(NamedTuple):
    """A schema inside a schema: the keyword it stands under and its place there."""

    keyword: str
    key: str | int | None
    schema: Any


def normalise(schema: JsonObject) -> JsonObject:
    """The same schema without shorthand; objects are closed unless they say otherwise. The argument is not changed."""
    top = schema if is_plain(schema) else {"type": "object", "properties": schema}
    return {"$schema": DRAFT, **_schema(top, close=True)}


def is_plain(schema: JsonObject) -> bool:
    """Whether the top is a JSON Schema already and not a mapping of property names."""
    properties = schema.get("properties")
    return (
        any(key.startswith("$") for key in schema)
        or isinstance(schema.get("type", {}), str | list)
        or isinstance(schema.get("required"), list)
        or any(isinstance(schema.get(key), list) for key in ("enum", *LISTS))
        or (isinstance(properties, dict) and bool(properties) and all(isinstance(p, dict) for p in properties.values()))
    )


def parts(schema: JsonObject) -> Iterator[Part]:
    """The schemas directly inside a schema."""
    for keyword, value in schema.items():
        if keyword in MAPS and isinstance(value, dict):
            yield from (Part(keyword, name, inner) for name, inner in value.items())
        elif keyword in LISTS and isinstance(value, list):
            yield from (Part(keyword, number, inner) for number, inner in enumerate(value))
        elif keyword in SINGLES:
            yield Part(keyword, None, value)


def is_object(schema: JsonObject) -> bool:
    """Whether the schema describes an object."""
    kind = schema.get("type")
    return kind == "object" or (isinstance(kind, list) and "object" in kind) or "properties" in schema


def _schema(schema: Any, *, close: bool) -> Any:
    if not isinstance(schema, dict):
        return schema
    result: JsonObject = {}
    keyword: str
    for keyword, value in schema.items():
        if keyword == "required" and isinstance(value, bool):
            continue  # the object around this property lists it
        result[RENAMED.get(keyword, keyword)] = _inside(schema, keyword, close=close)
    _spell_out(result)
    demanded = _demanded(schema)
    if demanded:
        listed = result.get("required")
        result["required"] = list(dict.fromkeys([*(listed if isinstance(listed, list) else []), *demanded]))
    if close and is_object(result) and not {"additionalProperties", "unevaluatedProperties"} & result.keys():
        result["additionalProperties"] = False
    return result


def _inside(schema: JsonObject, keyword: str, *, close: bool) -> Any:
    value = schema[keyword]
    if keyword in SAME_OBJECT or (keyword in ("anyOf", "oneOf") and is_object(schema)):
        close = False
    if keyword in MAPS and isinstance(value, dict):
        return {name: _schema(inner, close=close) for name, inner in value.items()}
    if keyword in LISTS and isinstance(value, list):
        return [_schema(inner, close=close) for inner in value]
    return _schema(value, close=close) if keyword in SINGLES else value


def _spell_out(schema: JsonObject) -> None:
    """Words that mean something else in YAML or in the short form."""
    if schema.get("format") == "datetime":
        schema["format"] = "date-time"
    kind = schema.get("type", "")
    if kind is None:
        schema["type"] = "null"  # an unquoted null is the word null here
    elif isinstance(kind, list):
        schema["type"] = ["null" if one is None else one for one in kind]


def _demanded(schema: JsonObject) -> list[str]:
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return []
    return [name for name, inner in properties.items() if isinstance(inner, dict) and inner.get("required") is True]
