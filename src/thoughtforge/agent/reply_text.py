"""The one object in the text of an answer, which may come in parts, in prose or broken; never a piece of it."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)
_OPENING = re.compile(r"\s*```(?:json)?\s*\n")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|$)|[{}\[\]]', re.DOTALL)
"""What decides where an object ends: its brackets, and the texts in which they mean nothing."""
_BEGINS = re.compile(r'\s*(?:```(?:json)?\s*)?\{(?:\s*"((?:[^"\\]|\\.)*)"?)?')
"""An answer that begins with its object, and the first name in it."""
OVERLAP = 400
"""Characters of the end that a continuation may repeat."""
LEAST_OVERLAP = 12
MOST_BROKEN = 50
"""Braces that begin no object before a text counts as none."""


def joined(said: str, more: str) -> str:
    """An answer and its continuation as one text; one that began anew replaces what was said."""
    if not said or _began_anew(said, more):
        return more
    more = _OPENING.sub("", more, count=1) if _OPENING.match(more) else more
    for size in range(min(OVERLAP, len(said), len(more)), LEAST_OVERLAP - 1, -1):
        if said.endswith(more[:size]):
            return said + more[size:]
    return said + more


def complete(text: str) -> bool:
    """Whether a cut answer lost nothing but what stands after its object; an example in prose is not yet the answer."""
    return _BEGINS.match(text) is not None and json_object(text) is not None


def breaks_off(text: str) -> bool:
    """Whether the object of an answer never ends."""
    opening = _OPENS.search(text)
    return opening is not None and _end(text, opening.start()) is None


def _began_anew(said: str, more: str) -> bool:
    """Whether a continuation is all of the answer; an object that begins otherwise is a piece of it."""
    fenced = _FENCE.fullmatch(more.strip())
    before, after = _BEGINS.match(said), _BEGINS.match(more)
    if after is None or _whole(fenced[1] if fenced else more) is None:
        return False
    return (after[1] or "").startswith(before[1] or "") if before else not _OPENS.search(said)


def json_object(text: str) -> dict[str, Any] | None:
    """The one object the reply consists of, or the largest one in it; one that no file could hold is none."""
    fences = (fence for fence in _FENCE.finditer(text) if not _within(text[: fence.start()]))
    candidates = (text.strip(), *(fence[1] for fence in fences))
    found = next((data for data in map(_whole, candidates) if data is not None), None)
    found = found if found is not None else _inside(text)
    return found if found is not None and _can_be_written(found) else None


def _within(text: str) -> bool:
    """Whether an object is open where the text ends: a fence there stands in a text of that object."""
    opening = _OPENS.search(text)
    for _ in range(MOST_BROKEN):
        if opening is None:
            return False
        end = _end(text, opening.start())
        if end is None and _LIKE_JSON.match(text, opening.start()):
            return True
        opening = _OPENS.search(text, end or opening.start() + 1)
    return True


def _can_be_written(data: dict[str, Any]) -> bool:
    """Whether every character is whole: an escape such as \\ud800 alone is half of one."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


def _whole(text: str) -> dict[str, Any] | None:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _inside(text: str) -> dict[str, Any] | None:
    """The largest object in the text; several of the same size, and an object that never ends, are no answer.

    Of an object that is broken, and of a list of several, no inner one is taken: it is a piece of the answer.
    """
    decoder = json.JSONDecoder()
    found: list[tuple[int, dict[str, Any]]] = []
    broken, opening = 0, _OPENS.search(text)
    while opening:
        at = opening.start()
        try:
            data, end = decoder.raw_decode(text, at)
        except RecursionError:  # nested beyond all sense, and so is what starts one brace further in
            return None
        except ValueError:
            broken += 1
            closed = _end(text, at)
            if broken > MOST_BROKEN or (closed is None and _LIKE_JSON.match(text, at)):
                return None
            end = closed or at + 1
        else:
            alone = data[0] if isinstance(data, list) and len(data) == 1 else data
            found += [(end - at, alone)] if isinstance(alone, dict) else []
        opening = _OPENS.search(text, end)
    found.sort(key=lambda pair: pair[0], reverse=True)
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]


_OPENS = re.compile(r"\{|\[(?=\s*\{)")
"""Where an object or a list of objects begins."""
_LIKE_JSON = re.compile(r"""\[|\{\s*(?:["'“”‘’`]|//|/\*|[\w-]+\s*:)""")
"""The beginning of a list of objects, or of an object as models write it, also without the quotes JSON wants."""


def _end(text: str, at: int) -> int | None:
    """Where the object or list that starts there ends; None when it never does."""
    depth, closes = 0, {"{": "{}", "[": "[]"}[text[at]]
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] == closes[0]) - (token[0] == closes[1])
        if depth == 0:
            return token.end()
    return None
