"""The change manifest of a plan: its list of files as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from thoughtforge.forge.layout import MANIFEST, MOST_FILES
from thoughtforge.forge.paths import path_of
from thoughtforge.forge.structure import key_of, marks_of, sections_of

PATH_KEYS = ("path", "file")
LONGEST_SHOWN = 80
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


class Manifest(NamedTuple):
    """The files of a manifest, or why there are none."""

    paths: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


def manifest_of(plan_text: str) -> Manifest:
    """The files of a plan's manifest: one JSON array, bare or in an object, in a code fence or not."""
    places = [_said(one.text) for one in sections_of(plan_text) if one.key == key_of(MANIFEST)]
    if not places:
        return Manifest()
    for text in places:
        for value in _values(text):
            found = _array(value)
            if found is not None:
                return _manifest(found)
    return Manifest(notices=(f"The {MANIFEST} has no JSON array of paths; the files come from Changes.",))


def _said(text: str) -> str:
    """The text without comments; after the last that is closed there is none."""
    end = text.rfind("-->") + len("-->") if "-->" in text else 0
    return COMMENT.sub("", text[:end]) + text[end:]


def _manifest(array: list[Any]) -> Manifest:
    paths: dict[str, None] = {}
    wrong: list[str] = []
    for entry in array:
        path = path_of(_path(entry))
        if path:
            paths[path] = None
        elif len(wrong) < MOST_FILES:
            wrong.append(str(entry)[:LONGEST_SHOWN])
        if len(paths) > MOST_FILES:
            break
    told = ", ".join(wrong)
    if not paths:
        why = f"names no file ({told})" if array else "is empty"
        return Manifest(notices=(f"The {MANIFEST} {why}; the files come from Changes.",))
    return Manifest(tuple(paths), (f"The {MANIFEST} names what is no file here: {told}",) if wrong else ())


def _path(entry: Any) -> str:
    """An entry is a path, or an object with one."""
    if isinstance(entry, dict):
        entry = next((entry[key] for key in PATH_KEYS if key in entry), "")
    return entry.strip() if isinstance(entry, str) else ""


def _values(text: str) -> Iterator[Any]:
    """What can be read as JSON: each code fence, then the text from its first bracket."""
    for start, end in marks_of(text).hidden:
        inside = text[start:end].partition("\n")[2].rpartition("\n")[0]
        yield _loaded(inside)
    starts = [at for at in (text.find("["), text.find("{")) if at >= 0]
    if starts:
        yield _loaded(text[min(starts) :])


def _loaded(text: str) -> Any:
    try:
        return json.JSONDecoder().raw_decode(text.strip())[0]
    except (ValueError, RecursionError):
        return None


def _array(value: Any) -> list[Any] | None:
    """A bare array, or the only one in an object."""
    if isinstance(value, list):
        return value
    arrays = list(_arrays(value)) if isinstance(value, dict) else []
    return arrays[0] if len(arrays) == 1 else None


def _arrays(value: Any) -> Iterator[list[Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, list):
            yield one
        if isinstance(one, dict | list):
            waiting += one.values() if isinstance(one, dict) else one
