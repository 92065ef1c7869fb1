"""The text formats a contract may ask for; each is really enforced, none needs a further library."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any, NamedTuple

from thoughtforge.contracts.shorthand import DRAFT, MAPS, RENAMED, SAME_OBJECT, is_object, is_plain, parts
from thoughtforge.kernel.model import JsonObject

DATE_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})"
)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def is_date_time(text: str) -> bool:
    """RFC 3339: a real date, a time with seconds, and an offset."""
    if not DATE_TIME.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text.upper())
    except ValueError:
        return False
    return True


def is_date(text: str) -> bool:
    """A real day of the calendar."""
    if not DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


FORMATS: dict[str, Callable[[str], bool]] = {"date": is_date, "date-time": is_date_time}

EXAMPLES = {"date": "a date such as 2025-12-31", "date-time": "a date and time such as 2025-12-31T10:15:00Z"}


KEYWORDS = """
    $schema $id $defs $ref $comment title description default examples deprecated readOnly writeOnly
    type enum const format pattern minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf
    items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems
    properties patternProperties additionalProperties unevaluatedProperties propertyNames required
    minProperties maxProperties dependentRequired dependentSchemas
    allOf anyOf oneOf not if then else
"""
KNOWN = frozenset(KEYWORDS.split())
OPENING = frozenset(
    {"additionalProperties", "patternProperties", "unevaluatedProperties", "$ref", "allOf", "anyOf", "oneOf"}
)
"""What may say which properties an object has, other than `properties`."""


class Fault(NamedTuple):
    """A problem at a path of the schema as it was written."""

    path: tuple[str | int, ...]
    what: str


def faults(schema: JsonObject, normal: JsonObject) -> Iterator[Fault]:
    """Everything wrong with `schema`; `normal` is the same schema without shorthand, into which `$ref` points."""
    if is_plain(schema):
        if schema.get("$schema", DRAFT) != DRAFT:
            yield Fault(("$schema",), f"$schema must be {DRAFT}")
        yield from _faults(schema, normal, path=(), position="")
    else:
        for name, definition in schema.items():
            yield from _faults(definition, normal, path=(name,), position="properties")


def _faults(schema: Any, normal: JsonObject, *, path: tuple[str | int, ...], position: str) -> Iterator[Fault]:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield Fault(path, "a definition must be a mapping such as {type: string}")
        return
    yield from (Fault((*path, keyword), what) for keyword, what in _spelling(schema, position))
    yield from (Fault(path, what) for what in _meaning(schema, normal, position))
    for part in parts(schema):
        below = (*path, part.keyword) if part.key is None else (*path, part.keyword, part.key)
        inherited = part.keyword if part.keyword in MAPS | SAME_OBJECT or position not in SAME_OBJECT else position
        yield from _faults(part.schema, normal, path=below, position=inherited)


def _spelling(schema: JsonObject, position: str) -> Iterator[tuple[str, str]]:
    for keyword, value in schema.items():
        if keyword not in KNOWN and keyword not in RENAMED:
            yield keyword, f"{keyword} is not a keyword of a schema"
        elif RENAMED.get(keyword) in schema:
            yield keyword, f"{keyword} and {RENAMED[keyword]} mean the same; keep one"
        elif keyword == "required" and isinstance(value, bool) and position != "properties":
            yield keyword, "required: true or false belongs on a property; here required is a list of names"


def _meaning(schema: JsonObject, normal: JsonObject, position: str) -> Iterator[str]:
    named = schema.get("format")
    if isinstance(named, str) and named != "datetime" and named not in FORMATS:
        yield f"format {named} is unknown to the engine; use one of {', '.join(sorted(FORMATS))} or a pattern"
    pointer = schema.get("$ref")
    if isinstance(pointer, str) and not _resolves(pointer, normal):
        yield f"$ref {pointer} does not resolve; it must point into this file, like #/$defs/name"
    if position not in SAME_OBJECT and is_object(schema) and not (schema.get("properties") or OPENING & schema.keys()):
        yield "this object has no properties; name them, or say additionalProperties"


def _resolves(pointer: str, normal: JsonObject) -> bool:
    if not pointer.startswith("#/"):
        return False
    here: Any = normal
    for step in pointer.removeprefix("#/").split("/"):
        key = step.replace("~1", "/").replace("~0", "~")
        if isinstance(here, list) and key.isdecimal() and int(key) < len(here):
            here = here[int(key)]
        elif isinstance(here, dict) and key in here:
            here = here[key]
        else:
            return False
    return isinstance(here, dict | bool)
