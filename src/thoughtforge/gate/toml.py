"""Writes the configuration files of tools: settings, nested as they come, as TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any


def to_toml(settings: Mapping[str, Any]) -> str:
    """One line per setting, tables as dotted keys."""
    return "".join(f"{key} = {_value(value)}\n" for key, value in _flat(settings, ""))


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both together: tables are merged, lists joined without doubles, anything else replaced."""
    whole = dict(under)
    for key, value in over.items():
        old = whole.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            whole[key] = merged(old, value)
        elif isinstance(old, list) and isinstance(value, list | tuple):
            whole[key] = [*old, *(item for item in value if item not in old)]
        else:
            whole[key] = list(value) if isinstance(value, tuple) else value
    return whole


def _flat(settings: Mapping[str, Any], above: str) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        name = f"{above}{_text(key)}"
        if isinstance(value, Mapping):
            yield from _flat(value, f"{name}.")
        else:
            yield name, value


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(text: str) -> str:
    """Quoted. JSON's escapes are TOML's too, but for DEL, which JSON leaves bare."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
