"""Secrets leave an event, its form stays: a key that is set to `required` must not break the record."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal, get_origin

from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from thoughtforge.kernel.events import Event
from thoughtforge.kernel.model import Value
from thoughtforge.kernel.stops import reason_named
from thoughtforge.store.secrets import Masker


def without_secrets(event: Event, masker: Masker) -> dict[str, Any]:
    """The event as JSON values with every secret hidden."""
    fields: dict[str, Any] = event.model_dump(mode="json")
    hidden: dict[str, Any] = fields if masker.tree(fields) is fields else _hide(event, fields, masker)
    return hidden


def _hide(value: Any, dumped: Any, masker: Masker) -> Any:
    """`dumped`, which is `value` as JSON, without secrets. Names of fields and words of fixed lists are ours."""
    if isinstance(value, Value):
        ours = _fixed(type(value))
        return {k: v if k in ours else _hide(getattr(value, k), v, masker) for k, v in dumped.items()}
    if isinstance(value, tuple):
        return [_hide(old, new, masker) for old, new in zip(value, dumped, strict=True)]
    if isinstance(value, dict) and any(isinstance(item, Value) for item in value.values()):
        return {k: _hide(value[k], v, masker) for k, v in dumped.items()}
    return masker.tree(dumped)


@cache
def _fixed(kind: type[Value]) -> frozenset[str]:
    """The fields that can hold only words we chose."""
    return frozenset(name for name, field in kind.model_fields.items() if _chosen(field))


def _chosen(field: FieldInfo) -> bool:
    """A word of a fixed list, or a registered reason to rest."""
    reason = any(isinstance(one, AfterValidator) and one.func is reason_named for one in field.metadata)
    return reason or get_origin(field.annotation) is Literal
