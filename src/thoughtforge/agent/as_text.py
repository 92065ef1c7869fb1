"""Values as the text a model reads: YAML, or JSON with a line for each item."""

from __future__ import annotations

import json
from typing import Any

import yaml

from thoughtforge.kernel.model import JsonObject


def as_rows(data: JsonObject) -> str:
    """JSON with one line for each item of its lists: as exact as it was handed in, and short."""
    fields = [f"{json.dumps(key)}: {_items(value)}" for key, value in data.items()]
    return "{\n" + ",\n".join(fields) + "\n}"


def _items(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f" {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n]"


UNFOLDED = 1_000_000
"""Nobody can tell a line that was folded from one that was not."""


def as_yaml(data: Any) -> str:
    """Plain YAML in the order given: shorter than JSON and easier to read for models and people."""
    text: str = yaml.dump(data, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=UNFOLDED)
    return text
