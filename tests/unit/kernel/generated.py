"""Hypothesis strategies for every event there is, made from the fields themselves so that none is forgotten."""

from __future__ import annotations

from enum import Enum
from functools import cache
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le
from hypothesis import settings
from hypothesis import strategies as st
from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Value
from thoughtforge.kernel.stops import STOPS, reason_named
from thoughtforge.rooms import load_rooms

STEADY = settings(derandomize=True, deadline=None, database=None)
"""The same examples every time."""

TEXTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(["", "spec", "intake", "C-1", "E-1", "*", "ü→😀\u2028\x00\r\n", "línea\n" * 200, '{"hash":"']),
)
"""Ordinary and awkward text; a few words come often, so that events meet each other."""
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@cache
def of_type(kind: Any) -> st.SearchStrategy[Any]:
    """Any value of an annotation used in an event."""
    plain = {str: TEXTS, int: st.integers(), float: NUMBERS, bool: st.booleans(), type(None): st.none(), Any: JSON}
    if kind in plain:
        return plain[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return st.sampled_from(tuple(kind))
    if isinstance(kind, type) and issubclass(kind, Value):
        return of_model(kind)
    return _composed(get_origin(kind), get_args(kind))


def _composed(origin: Any, args: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    if origin is Literal:
        return st.sampled_from(args)
    if origin in (Union, UnionType):
        return st.one_of(*map(of_type, args))
    if origin is tuple:
        return st.lists(of_type(args[0]), max_size=3).map(tuple)
    if origin is dict:
        return st.dictionaries(of_type(args[0]), of_type(args[1]), max_size=3)
    raise TypeError(f"no strategy for {origin}[{args}]")


@cache
def of_model(kind: type[Value]) -> st.SearchStrategy[Any]:
    """Any value of a class, every field filled in."""
    return st.builds(kind, **{name: _of_field(name, field) for name, field in kind.model_fields.items()})


def _of_field(name: str, field: FieldInfo) -> st.SearchStrategy[Any]:
    if name == "version":
        return st.just(field.default)
    if any(isinstance(one, AfterValidator) and one.func is reason_named for one in field.metadata):
        return st.sampled_from(tuple(STOPS))
    bounds = {type(bound): bound for bound in field.metadata if isinstance(bound, Ge | Le)}
    if not bounds:
        return of_type(field.annotation)
    least, most = bounds.get(Ge), bounds.get(Le)
    limits = {"min_value": least.ge if least else None, "max_value": most.le if most else None}
    kinds = get_args(field.annotation) or (field.annotation,)
    number = st.floats(**limits, allow_nan=False, allow_infinity=False) if float in kinds else st.integers(**limits)
    return number | st.none() if type(None) in kinds else number


load_rooms()
CLASSES = tuple(e.KINDS.values())
EVENTS = st.one_of(*map(of_model, CLASSES))
SEQUENCES = st.lists(EVENTS, max_size=8)
"""Events in any order, also such as no program would write."""
