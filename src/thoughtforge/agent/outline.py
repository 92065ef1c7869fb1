"""A JSON Schema as a short outline a model can follow; the whole schema would fill its context."""

from __future__ import annotations

import json
from typing import Any


def outline(schema: dict[str, Any], *, indent: int = 0) -> str:
    """One line per field: name, whether it is needed, what it holds."""
    lines: list[str] = []
    needed = set(schema.get("required", ()))
    for name, field in schema.get("properties", {}).items():
        lines += _field(name, field, needed=name in needed, indent=indent)
    return "\n".join(lines)


def _field(name: str, field: dict[str, Any], *, needed: bool, indent: int) -> list[str]:
    pad = "  " * indent
    mark = "" if needed else "?"
    hint = f" — {field['description']}" if field.get("description") and indent < 2 else ""
    if field.get("type") == "array":
        items = field.get("items", {})
        least = f", at least {field['minItems']}" if field.get("minItems") else ""
        if "properties" in items:
            return [f"{pad}{name}{mark}: list{least}, each:{hint}", outline(items, indent=indent + 1)]
        return [f"{pad}{name}{mark}: list of {_kind(items)}{least}{hint}"]
    if "properties" in field:
        return [f"{pad}{name}{mark}:{hint}", outline(field, indent=indent + 1)]
    return [f"{pad}{name}{mark}: {_kind(field)}{hint}"]


def _kind(field: dict[str, Any]) -> str:
    if "const" in field:
        return json.dumps(field["const"])
    if "enum" in field:
        return " | ".join(str(value) for value in field["enum"])
    options = field.get("oneOf") or field.get("anyOf")
    if options:
        return " or ".join(_kind(option) for option in options)
    kind = field.get("type", "any")
    text = " or ".join(kind) if isinstance(kind, list) else str(kind)
    for key, word in (("pattern", "like"), ("format", "as")):
        if key in field:
            text += f" {word} {field[key]}"
    if field.get("minLength", 0) > 1:
        text += f" of at least {field['minLength']} characters"
    return text + (f" of at most {field['maxLength']} characters" if "maxLength" in field else "")
