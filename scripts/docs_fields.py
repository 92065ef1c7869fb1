"""Fields as Markdown tables, from JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Schema = dict[str, Any]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """A Markdown table."""
    names = list(head)
    yield f"| {' | '.join(names)} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(_cell(text) for text in row)} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def kind(schema: Schema) -> str:
    """A schema's type in a few words."""
    if "anyOf" in schema:
        return " or ".join(kind(option) for option in schema["anyOf"])
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    for key, join in (("const", str), ("enum", lambda words: ", ".join(map(str, words)))):
        if key in schema:
            return join(schema[key])
    word = str(schema.get("type", "anything"))
    if word == "array":
        return f"list of {kind(schema.get('items', {}))}"
    if word == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map to {kind(schema['additionalProperties'])}"
    return word


def bounds(schema: Schema) -> str:
    """The range a number must lie in."""
    for part in (schema, *schema.get("anyOf", ())):
        words = [f"{sign} {part[key]:,}" for key, sign in SIGNS.items() if key in part]
        if words:
            return f" ({', '.join(words)})"
    return ""


SIGNS = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}


def default(name: str, field: Schema, schema: Schema) -> str:
    """What holds when a field is left out."""
    if name in schema.get("required", ()):
        return "needed"
    value = field.get("default")
    return (
        ""
        if value in ("", [], None) or isinstance(value, dict)
        else f"`{str(value).lower() if isinstance(value, bool) else value}`"
    )


def fields(schema: Schema, *, leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    """The table of an object's fields."""
    rows = [
        (f"`{name}`", kind(field) + bounds(field), default(name, field, schema), field.get("description", ""))
        for name, field in schema["properties"].items()
        if name not in leave_out
    ]
    return table(("field", "type", "default", "what it is"), rows)


def keys(whole: Schema) -> Iterator[str]:
    """The table of everything a person can write, however deep, by its path."""
    head = ("key", "type", "default", "what it does")
    return table(head, _rows(whole, "", whole.get("$defs", {})))


def _rows(schema: Schema, path: str, known: Schema) -> Iterator[tuple[str, ...]]:
    for name, field in schema["properties"].items():
        many = field.get("additionalProperties")
        inner = many if isinstance(many, dict) else field
        ref = next((one["$ref"] for one in (inner, *inner.get("anyOf", ())) if "$ref" in one), "")
        here = f"{path}{name}"
        if not ref or "anyOf" in field:
            text = field.get("description", "")
            yield f"`{here}`", kind(field) + bounds(field), default(name, field, schema), text
        if ref:
            deeper = f"{here}.NAME." if isinstance(many, dict) else f"{here}."
            yield from _rows(known[ref.rpartition("/")[2]], deeper, known)
