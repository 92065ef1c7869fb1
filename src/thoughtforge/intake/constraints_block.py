"""constraints.md as material: where it does not fit, whole sections go in a fixed order, and some never do."""

from __future__ import annotations

import re

from thoughtforge.agent.context import Block
from thoughtforge.agent.tokens import estimate

DROPPED = ("Scope", "Severity Definitions", "Exclusions", "Priorities")
"""What can go, the first one first; context, type and acceptance criteria always stay."""
HEADING = re.compile(r"^## +(.+?) *$", re.MULTILINE)


def fitting(text: str, budget: int) -> tuple[str, tuple[str, ...]]:
    """The text within the budget as far as sections may go, and the sections that went."""
    gone: list[str] = []
    for name in DROPPED:
        if estimate(text) <= budget:
            break
        shorter = _without(text, name)
        if shorter != text:
            text, gone = shorter, [*gone, name]
    return text, tuple(gone)


def constraints_block(title: str, text: str, *, budget: int) -> Block:
    """The block a review, a build or a fix goes by."""
    kept, gone = fitting(text, budget)
    note = f"(left out for its size: {', '.join(gone)})\n\n" if gone else ""
    return Block(title, note + kept, budget, floor=budget // 2, untrusted=True)


def _without(text: str, name: str) -> str:
    """The text without one section: from its heading to the next one of that level."""
    starts = [match.start() for match in HEADING.finditer(text)] + [len(text)]
    for match, end in zip(HEADING.finditer(text), starts[1:], strict=True):
        if match[1] == name:
            return text[: match.start()] + text[end:]
    return text
