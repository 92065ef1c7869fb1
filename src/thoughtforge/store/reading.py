"""An event as a line of the log holds it → the event as this program knows it, whatever version wrote it."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from thoughtforge.kernel.events import KINDS, Event, Unknown

RAISE: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("warning_given", 1): lambda data: {**data, "code": ""},
    ("action_taken", 1): lambda data: {**data, "tree": ""},
}
"""(type, version) → the same fact one version newer. Kept for ever: old logs must always load."""


def newest(kind: str) -> int:
    """The current version of an event type."""
    return int(KINDS[kind].model_fields["version"].default)


def union() -> TypeAdapter[Event]:
    """All registered events as one tagged union, for schemas and documentation."""
    every: Any = reduce(or_, KINDS.values())
    return TypeAdapter(Annotated[every, Field(discriminator="type")])


def read_event(data: dict[str, Any]) -> Event | Unknown:
    """The event in `data`, raised to its newest version."""
    kind, version = str(data.get("type")), int(data.get("version", 1))
    while (kind, version) in RAISE:
        version += 1
        data = {**RAISE[kind, version - 1](data), "version": version}
    if kind not in KINDS or version != newest(kind):
        return Unknown(kind, version, data)
    try:
        return KINDS[kind].model_validate(data)
    except ValidationError:
        return Unknown(kind, version, data)
