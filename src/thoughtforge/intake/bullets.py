"""Lists in Markdown: one bullet for each item, whatever the item holds."""

from __future__ import annotations

from collections.abc import Sequence

NOTHING = "Nothing was said about this."
"""Stands where a list is empty, so that a reader sees it was not forgotten."""


def bullets(items: Sequence[str]) -> str:
    """A list; the further lines of an item stay below its bullet, code blocks too."""
    return "\n".join(f"- {_item(item)}" for item in items) or NOTHING


def numbered(items: Sequence[tuple[str, str]]) -> str:
    """A list whose items have ids."""
    return bullets([f"**{identity}** {text}" for identity, text in items])


def section(heading: str, body: str) -> str:
    """A heading with what stands below it."""
    return f"## {heading}\n\n{body}\n"


def _item(text: str) -> str:
    return text.strip("\n").replace("\n", "\n  ")
