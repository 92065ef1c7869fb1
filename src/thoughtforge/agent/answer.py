"""The JSON object in a model's reply, also inside prose or a code fence; None when there is none or it is unclear."""

from __future__ import annotations

import json
import re
from typing import Any

_FENCE = re.compile(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def json_object(text: str) -> dict[str, Any] | None:
    """The one object the reply consists of, or the largest one in it; one that no file could hold is none."""
    candidates = (text.strip(), *_FENCE.findall(text))
    found = next((data for data in map(_whole, candidates) if data is not None), None)
    found = found if found is not None else _inside(text)
    return found if found is not None and _can_be_written(found) else None


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
    """The largest object that starts at some brace; several of the same size are no answer."""
    decoder = json.JSONDecoder()
    found: list[tuple[int, dict[str, Any]]] = []
    at = text.find("{")
    while at != -1:
        try:
            data, end = decoder.raw_decode(text, at)
        except RecursionError:  # nested beyond all sense, and so is what starts one brace further in
            return None
        except ValueError:
            end = at + 1
        else:
            found.append((end - at, data))
        at = text.find("{", end)
    found.sort(key=lambda pair: pair[0], reverse=True)
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1]
