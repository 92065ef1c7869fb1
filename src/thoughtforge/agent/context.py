"""The context of one step: fixed parts, each with its own budget, so that step 100 is as small as step 1."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from thoughtforge.agent.tokens import estimate, fit
from thoughtforge.kernel.events import ActionTaken

TOTAL = 8_000
BUDGET: dict[str, int] = {
    "system": 1_500,
    "task_frame": 500,
    "current_state": 4_000,
    "recent_actions": 1_000,
    "verification_status": 200,
    "available_actions": 800,
}
"""Estimated tokens per part; together TOTAL."""

ERROR_LENGTH = 500
"""Characters of an error an agent is shown."""

_LEAST = 12
_HEADING = 8
"""Tokens a block's heading and fence may add."""


class Block(NamedTuple):
    """A piece of the current state. `cap` bounds it; what a block leaves over goes to those after it."""

    title: str
    text: str
    cap: int
    untrusted: bool = False


class Context(NamedTuple):
    """The text of a step with the size of each of its parts."""

    text: str
    parts: dict[str, int]
    tokens: int


def build(system: str, parts: Mapping[str, str], *, scale: float = 1.0) -> Context:
    """Put the parts together; each is cut to its budget, measured with the model's own scale."""
    sections: list[str] = []
    sizes = {"system": estimate(system)}
    for name, budget in BUDGET.items():
        if name == "system" or not parts.get(name):
            continue
        section = fit(f"## {name}\n{parts[name]}", int(budget / scale))
        sizes[name] = estimate(section)
        sections.append(section)
    text = "\n\n".join(sections)
    return Context(text, sizes, estimate(system) + estimate(text))


def current_state(blocks: Iterable[Block], *, budget: int) -> str:
    """The blocks in order; the last one fills what is left, so that the size hardly changes from step to step."""
    given = [block for block in blocks if block.text.strip()]
    left = budget - _HEADING
    shown: list[str] = []
    for place, block in enumerate(given):
        cap = left if place == len(given) - 1 else min(block.cap, left)
        if cap < _LEAST + 2 * _HEADING:
            continue
        piece = _block(block, cap)
        left -= estimate(piece) + 1
        shown.append(piece)
    return "\n\n".join(shown)


def _block(block: Block, cap: int) -> str:
    room = cap - _HEADING - (4 * _HEADING if block.untrusted else 0) - estimate(block.title)
    body = fit(block.text.strip(), max(_LEAST, room))
    return f"### {block.title}\n{fence(block.title, body) if block.untrusted else body}"


def fence(label: str, text: str) -> str:
    """Material between marks that name its own digest: text cannot close a mark it cannot know."""
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"<data {mark} {label}>\n{text}\n</data {mark}>"


def recent_actions(actions: Iterable[ActionTaken]) -> str:
    """One line per action: the last three and no more."""
    lines = [f"- step {a.step} {a.tool} {_brief(a.params)} → {a.outcome}: {one_line(a.summary)}" for a in actions]
    return "\n".join(lines[-3:]) or "- none yet"


def _brief(params: Mapping[str, object]) -> str:
    return one_line(", ".join(f"{key}={value}" for key, value in params.items() if key != "artifact"), 160)


def one_line(text: str, length: int = ERROR_LENGTH) -> str:
    """The text on one line, cut at `length` characters with a mark."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"
