"""Values as JSON and back, by their exact types: nothing that merely claims to be equal gets through.

What JSON does not have is an object with the key `$`: a tuple, a set, bytes, a Decimal, a dataclass and so on. A value
of any other type is only named. Plain Python of any version from 3.8, without this package.
"""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import math
import pathlib
import types
import uuid
from collections.abc import Callable
from typing import Any

DEEPEST = 30
MOST = 20_000
LONGEST = 200_000
LARGE = {"$": "large"}
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter, types.MappingProxyType)
SEQUENCES: dict[Any, str] = {tuple: "tuple", set: "set", frozenset: "frozenset", collections.deque: "deque"}
TIMES = {datetime.datetime: "datetime", datetime.date: "date", datetime.time: "time"}
PATHS = (pathlib.PosixPath, pathlib.PurePosixPath, pathlib.WindowsPath, pathlib.PureWindowsPath)
VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))
ITERATORS = (types.GeneratorType, map, filter, zip, enumerate, reversed, range, *VIEWS)


def encoded(value: Any) -> Any:
    """A value as JSON."""
    return _Encoder().encode(value, DEEPEST)


class _Encoder:
    """Counts what it has written, so that a huge or endless value ends."""

    def __init__(self) -> None:
        self.left = MOST

    def encode(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if depth == 0 or self.left < 0:
            return LARGE
        kind = type(value)
        if value is None or kind in (bool, int, float, str, bytes):
            return _scalar(value)
        if kind is list:
            return [self.encode(item, depth - 1) for item in value[:MOST]]
        if kind in SEQUENCES:
            return {"$": SEQUENCES[kind], "items": self._items(value, depth)}
        if kind in MAPPINGS:
            return self._mapping(value, depth)
        return self._structured(value, depth) or _simple(value) or {"$": "object", "type": name(kind)}

    def _items(self, value: Any, depth: int) -> list[Any]:
        found = []
        for item in value:
            found.append(self.encode(item, depth - 1))
            if self.left < 0:
                break
        return found

    def _mapping(self, value: Any, depth: int) -> Any:
        pairs = [
            [self.encode(key, depth - 1), self.encode(each, depth - 1)] for key, each in list(value.items())[:MOST]
        ]
        if all(type(key) is str and key != "$" for key, _ in pairs):
            return dict(pairs)
        return {"$": "dict", "items": pairs}

    def _structured(self, value: Any, depth: int) -> Any:
        """Dataclasses, named tuples, members of an enumeration, iterators; None for anything else."""
        kind = type(value)
        if issubclass(kind, enum.Enum):
            return {"$": "enum", "type": name(kind), "name": object.__getattribute__(value, "_name_")}
        names = getattr(kind, "_fields", None)
        if issubclass(kind, tuple) and kind.__bases__ == (tuple,) and type(names) is tuple:
            items = [self.encode(item, depth - 1) for item in tuple.__iter__(value)]
            return {"$": "named_tuple", "type": name(kind), "fields": dict(zip(names, items))}  # noqa: B905
        if dataclasses.is_dataclass(kind):
            fields = {
                field.name: self.encode(getattr(value, field.name, None), depth - 1)
                for field in dataclasses.fields(kind)
            }
            return {"$": "dataclass", "type": name(kind), "fields": fields}
        if kind in ITERATORS:
            return {"$": "iterator", "items": self._items(value, depth)}
        return None


def _scalar(value: Any) -> Any:
    if type(value) is float and not math.isfinite(value):
        return {"$": "float", "value": repr(value)}
    if type(value) is int and value.bit_length() > 4096:
        return LARGE
    if type(value) is bytes:
        return {"$": "bytes", "value": value.hex()} if len(value) <= LONGEST else LARGE
    return LARGE if type(value) is str and len(value) > LONGEST else value


def _simple(value: Any) -> Any:
    """Values that are one text; None for anything else."""
    kind = type(value)
    if kind in TIMES:
        return {"$": TIMES[kind], "value": value.isoformat()}
    if kind is datetime.timedelta:
        return {"$": "timedelta", "value": value.total_seconds()}
    if kind in PATHS:
        return {"$": "path", "value": str(value)}
    if kind in (decimal.Decimal, uuid.UUID, complex):
        return {"$": kind.__name__.lower(), "value": str(value)}
    return {"$": "type", "value": name(value)} if kind is type else None


def name(kind: type) -> str:
    """A type as `module.Name`, without the module for those of the language."""
    module, inner = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    return str(inner) if module == "builtins" else f"{module}.{inner}"


def decoded(value: Any, find: Callable[[str], Any]) -> Any:
    """The value that JSON stands for. `find` turns a target into what it names, for `new` and `name`."""
    if isinstance(value, list):
        return [decoded(item, find) for item in value]
    if not isinstance(value, dict):
        return value
    tag = value.get("$")
    if tag is None:
        return {key: decoded(item, find) for key, item in value.items()}
    if tag == "name":
        return find(value["target"])
    if tag == "new":
        arguments = [decoded(item, find) for item in value.get("args", [])]
        return find(value["target"])(*arguments, **{k: decoded(v, find) for k, v in value.get("kwargs", {}).items()})
    if tag == "dict":
        return {decoded(key, find): decoded(item, find) for key, item in value["items"]}
    return MAKERS[tag](decoded(value["items" if "items" in value else "value"], find))


MAKERS: dict[str, Callable[[Any], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "deque": collections.deque,
    "iterator": iter,
    "float": float,
    "bytes": bytes.fromhex,
    "complex": complex,
    "decimal": decimal.Decimal,
    "uuid": uuid.UUID,
    "path": pathlib.Path,
    "datetime": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "timedelta": lambda seconds: datetime.timedelta(seconds=seconds),
}
