"""JSON Schemas of values, each field described by the text below it.

The texts are read from the source, which is slow: every command imports the values, and few publish a schema.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from itertools import pairwise
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import ModelSchema


def schema_of(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of a value."""
    return kind.model_json_schema(schema_generator=Described)


class Described(GenerateJsonSchema):
    """Makes a schema whose fields have descriptions."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        """The schema of one class of values."""
        found = super().model_schema(schema)
        fields = schema["cls"].model_fields
        for name, text in field_texts(schema["cls"]).items():
            shown = found.get("properties", {}).get(fields[name].alias or name) if name in fields else None
            if shown is not None:
                shown.setdefault("description", text)
        return found


def field_texts(kind: type[BaseModel]) -> dict[str, str]:
    """Field → its description: what the field itself says, or the text below it."""
    below = {name: text for cls in reversed(kind.__mro__) for name, text in _texts_below(cls).items()}
    said = {name: field.description for name, field in kind.model_fields.items() if field.description}
    return {**below, **said}


@cache
def _texts_below(cls: type) -> dict[str, str]:
    if cls is BaseModel or not issubclass(cls, BaseModel):
        return {}
    try:
        source = inspect.getsource(cls)
    except (OSError, TypeError):
        return {}  # made while the program runs; its fields describe themselves
    [definition] = ast.parse(f"if 1:\n{source}" if source[0].isspace() else source).body
    if isinstance(definition, ast.If):  # a class inside a function or another class
        [definition] = definition.body
    lines = definition.body if isinstance(definition, ast.ClassDef) else []
    return {
        line.target.id: inspect.cleandoc(text.value.value)
        for line, text in pairwise(lines)
        if isinstance(line, ast.AnnAssign)
        and isinstance(line.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
