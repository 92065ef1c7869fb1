"""Text made fit for one cell of a Markdown table: it stays readable and cannot end the cell, the row or the table."""

from __future__ import annotations

import re

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
ENTITY = re.compile(r"&(?=#?\w{1,40};)")
PIPE = re.compile(r"(?<!\\)(\\*)\|")
SPLIT = re.compile(r"(?<!\\)\|")
BREAK = "<br>"


def cell(value: object) -> str:
    """The text as one cell. Braces need nothing: content is data and is never read as a template."""
    lines = [" ".join(line.split()) for line in CONTROL.sub("", str(value)).splitlines()]
    text = ENTITY.sub("&amp;", "\n".join(lines).strip()).replace("<", "&lt;")
    # After a backslash another one would end the cell in some readers, an entity does in none.
    text = PIPE.sub(lambda found: rf"{found[1]}&#124;" if found[1] else r"\|", text)
    return text.replace("\n", BREAK)


def cells(row: str) -> list[str]:
    """The cells of a table row as a reader sees them."""
    inner = row.strip()
    inner = inner.removeprefix("|")
    if inner.endswith("|") and not inner.endswith(r"\|"):
        inner = inner[:-1]
    return [part.strip() for part in SPLIT.split(inner)]
