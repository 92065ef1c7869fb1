"""A story: every event of a run as one line of words that stay the same from run to run and from machine to machine."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

FIELDS = (
    "key",
    "what",
    "tool",
    "path",
    "contract",
    "to",
    "reviewer",
    "blocking",
    "advisory",
    "role",
    "phase",
    "action",
    "iteration",
    "decision",
    "choice",
    "guard",
    "kind",
    "code",
    "why",
    "exit_type",
    "deliverable",
    "outcome",
    "reason",
)
"""What is told of an event that has it, in this order. A kind of event that is new is told by the same fields."""
_WORD = re.compile(r"[\w./#-]+")
_DIGEST = re.compile(r"(?<![0-9a-zA-Z])(?=[a-f]*[0-9])[0-9a-f]{8,64}(?![0-9a-zA-Z])")


def tell(events: Iterable[dict[str, Any]]) -> list[str]:
    """One line for each event: its type, its stage and what is telling about it."""
    return [_line(event) for event in events]


def without_digests(text: str) -> str:
    """A digest follows from contents; `#` stands for it."""
    return _DIGEST.sub("#", text)


def _line(event: dict[str, Any]) -> str:
    facts = {**event, **event.get("escalation", {}), **event.get("verdict", {})}
    told = [f"{name}={word}" for name in FIELDS if (word := _word(facts.get(name)))]
    return f"{event['type']:<19} {facts.get('stage') or '-':<9} {' '.join(told)}".rstrip()


def _word(value: Any) -> str:
    """A list by its length; a text only when it is one word, because sentences are for people and may change."""
    if isinstance(value, list):
        return str(len(value))
    text = without_digests(str(value)) if isinstance(value, str | int) else ""
    return text if _WORD.fullmatch(text) else ""
