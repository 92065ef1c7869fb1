"""What is wrong, in words a person or a model can act on: what was expected and what was there."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from thoughtforge.contracts.formats import EXAMPLES

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
