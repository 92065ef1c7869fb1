"""Small things all wire formats need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def pieces(text: str) -> Iterator[str]:
    """The text in a few parts, as a model would stream it."""
    size = max(1, -(-len(text) // 5))
    for start in range(0, len(text), size):
        yield text[start : start + size]


def text_of(content: Any) -> str:
    """The text in a message's content: plain, or the text parts of a list."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if "text" in part)


def event(data: Any, *, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()
