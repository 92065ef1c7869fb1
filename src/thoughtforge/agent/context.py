"""The context of a step: fixed parts, each cut to its budget, with the size of each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.agent.tokens import estimate, fit, one_line
from thoughtforge.calls.events import ActionTaken

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

_LEAST_BLOCK = 60
"""A block with less room than this would say nothing."""
_HEADING = 10
"""Tokens of a heading's marks, and of each line of a fence."""


class Block(NamedTuple):
    """A piece of the current state: `floor` tokens are kept for it, `cap` bounds it."""

    title: str
    text: str
    cap: int
    floor: int = 0
    untrusted: bool = False
    cut: bool = False
    """Whether something was left out of the text before it came here."""


class Context(NamedTuple):
    """The text of a step with the size of each of its parts."""

    text: str
    parts: dict[str, int]
    tokens: int


def build(system: str, parts: Mapping[str, str], *, scale: float = 1.0) -> Context:
    """Put the parts together; each is cut to its budget, measured with the model's own scale."""
    sections: list[str] = []
    sizes = {"system": estimate(system)}
    for name in BUDGET:
        if name == "system" or not parts.get(name):
            continue
        section = fit(f"## {name}\n{parts[name]}", room(system, name, scale))
        sizes[name] = estimate(section)
        sections.append(section)
    # measured in parts, because measuring is most of a step's work; a blank line between two costs one more
    return Context("\n\n".join(sections), sizes, sum(sizes.values()) + len(sections) - 1)


def room(system: str, name: str, scale: float) -> int:
    """Estimated tokens a part may have, so that the whole stays within TOTAL of the model's own tokens.

    A model that counts more than the estimate makes the system prompt larger too; the current state makes up for it.
    """
    budget = BUDGET[name] / scale
    if name == "current_state":
        budget -= max(0.0, estimate(system) - BUDGET["system"] / scale) + len(BUDGET)
    return int(budget)


def current_state(blocks: Iterable[Block], *, budget: int) -> str:
    """The blocks in order, each in the room it was given; the last fills what is left, so the size hardly changes."""
    # a short block that fits is shown whole: only what would be cut to a stump is left out
    shown = [(block, room) for block, size, room in _rooms(blocks, budget) if room >= min(size, _LEAST_BLOCK)]
    return "\n\n".join(_block(block, room) for block, room in shown)


def cut_of(blocks: Iterable[Block], *, budget: int) -> tuple[str, ...]:
    """The titles of the blocks that are not shown whole."""
    return tuple(block.title for block, size, room in _rooms(blocks, budget) if room < size or block.cut)


def least(blocks: Iterable[Block]) -> int:
    """The room that the floors of the blocks need."""
    given = [block for block in blocks if block.text.strip()]
    return _HEADING + sum(min(estimate(b.text) + _frame_size(b), b.cap, b.floor) for b in given)


def _rooms(blocks: Iterable[Block], budget: int) -> list[tuple[Block, int, int]]:
    """Each block that says something, its size and the room it gets."""
    given = [block for block in blocks if block.text.strip()]
    sizes = [estimate(b.text) + _frame_size(b) for b in given]
    rooms = allot([(size, b.cap, b.floor) for size, b in zip(sizes, given, strict=True)], budget - _HEADING)
    return list(zip(given, sizes, rooms, strict=True))


def allot(wants: Sequence[tuple[int, int, int]], budget: int) -> list[int]:
    """Room for each (size, cap, floor): floors first, then in order; the last one's cap is whatever is left."""
    floors = [min(size, cap, floor) for size, cap, floor in wants]
    if sum(floors) > budget:
        floors = [floor * budget // sum(floors) for floor in floors]
    left = budget - sum(floors)
    rooms = []
    for place, ((size, cap, _), floor) in enumerate(zip(wants, floors, strict=True)):
        most = size if place == len(wants) - 1 else min(size, cap)
        more = max(0, min(most - floor, left))
        left -= more
        rooms.append(floor + more)
    return rooms


def _frame_size(block: Block) -> int:
    """Tokens of the heading and of the marks around a block."""
    return _HEADING + estimate(block.title) * (2 if block.untrusted else 1) + (2 * _HEADING if block.untrusted else 0)


def _block(block: Block, room: int) -> str:
    body = fit(block.text.strip(), room - _frame_size(block))
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
