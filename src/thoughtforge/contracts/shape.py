"""Reading an artifact that may be malformed: what is not there or has the wrong shape is simply not found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from thoughtforge.kernel.model import JsonObject

WHOLE = "(whole)"
"""The place of a problem that concerns the artifact as such."""

PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


class Found(NamedTuple):
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


def find(artifact: object, pattern: str) -> Iterator[Found]:
    """Every value at a pattern such as `questions[].evidence[].file`; `*` stands for every key of a map."""
    return _walk(Found(WHOLE, artifact), pattern.replace("[]", ".[]").removeprefix(".").split("."))


def _walk(here: Found, steps: list[str]) -> Iterator[Found]:
    if not steps:
        yield here
        return
    for inner in _entries(here, steps[0]):
        yield from _walk(inner, steps[1:])


def _entries(here: Found, step: str) -> Iterator[Found]:
    if step == "[]" and isinstance(here.value, list):
        yield from (Found(place(here.where, number), item) for number, item in enumerate(here.value))
    elif step == "*" and isinstance(here.value, dict):
        yield from (Found(place(here.where, str(key)), item) for key, item in here.value.items())
    elif isinstance(here.value, dict) and step in here.value:
        yield Found(place(here.where, step), here.value[step])


def texts(artifact: object, *patterns: str) -> Iterator[Found]:
    """The text values at the patterns."""
    for pattern in patterns:
        yield from (found for found in find(artifact, pattern) if isinstance(found.value, str))


def objects(artifact: object, pattern: str) -> Iterator[Found]:
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
