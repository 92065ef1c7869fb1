"""Small things all wire formats need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from model_server.answers import Call, Say
from model_server.asked import Asked


def pieces(text: str) -> Iterator[str]:
    """The text in a few parts, as a model would stream it."""
    size = max(1, -(-len(text) // 5))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def text_of(content: Any, between: str = "\n") -> str:
    """The text in a message's content: plain, or the text parts of a list."""
    if isinstance(content, str):
        return content
    return between.join(part["text"] for part in content or () if "text" in part)


def event(data: Any, *, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def by_tool(asked: Asked, say: Say) -> Say:
    """The answer as a call of the tool the schema came with, when there is one and the text is an object."""
    if not asked.tool or say.calls:
        return say
    try:
        given = json.loads(say.text)
    except ValueError:
        return say
    return replace(say, text="", calls=(Call(asked.tool, say.text),)) if isinstance(given, dict) else say


def numbered(asked: Asked, say: Say, prefix: str) -> Iterator[tuple[str, Call]]:
    """Each call with an id that no earlier call of the conversation has."""
    for number, call in enumerate(say.calls, len(asked.calls) + 1):
        yield f"{prefix}{number}", call
