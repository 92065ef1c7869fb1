"""The context of a step: fixed parts, a brief that stays the same, and a state that gets all the room that is left."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from thoughtforge.agent.room import Room
from thoughtforge.agent.tokens import estimate, fit, lines_in, one_line
from thoughtforge.calls.events import ActionTaken

MOST: dict[str, int] = {
    "task_frame": 500,
    "available_actions": 1_500,
    "recent_actions": 1_000,
    "verification_status": 200,
}
"""The most that each small part may have; what it does not need goes to the state."""
ORDER = ("task_frame", "available_actions", "brief", "current_state", "recent_actions", "verification_status")
"""What stays the same from call to call comes first, so that a provider's prompt cache applies."""
STABLE = ORDER[:3]
LEAST_PART = 300
"""Tokens of a block's first lines that are worth standing alone in the brief."""
GOES_ON = " (goes on below)"
WHOLE = 1_000_000
"""The floor of a block that is never cut."""

MEASURED, RESULT, SPECIFICATION, NOTES, CODE, OLDER, MAP = range(7)
"""Who gets room first; what comes after CODE has no part in the room beyond the usual."""

_LEAST_BLOCK = 60
"""A block with less room than this would say nothing."""
_HEADING = 10
"""Tokens of a heading's marks, and of each line of a fence."""


class Block(NamedTuple):
    """A piece of a context: `floor` tokens are kept for it; more than `cap` only when nobody else needs the room."""

    title: str
    text: str
    cap: int
    floor: int = 0
    untrusted: bool = False
    whole: int = 0
    """Tokens of all there is, when something was left out of the text before it came here."""
    need: int = OLDER
    """Who goes first when there is not room for all."""
    shorten: Callable[[str, int], str] = fit
    """How to bring the text down to a number of tokens."""


class Context(NamedTuple):
    """The text of a step with the size of each of its parts, what was cut and how much could have been shown."""

    text: str
    parts: dict[str, int]
    tokens: int
    blocks: Mapping[str, int] = {}
    """Tokens shown of each block, by title."""
    cut: Mapping[str, int] = {}
    """Tokens that each cut block has in all."""
    room: int = 0
    """Tokens there was room for; 0 when nobody counted."""
    stable: int = 0
    """Characters at the beginning that are the same in every call of a stage."""
    free: int = 0
    """Tokens that the result of the next action can have in the next context."""


def shown_whole(context: Context) -> dict[str, bool]:
    """The blocks that are shown, and whether all of each is."""
    found: dict[str, bool] = {}
    for title in context.blocks:
        plain = title.removesuffix(GOES_ON)
        found[plain] = found.get(plain, False) or (title == plain and title not in context.cut)
    return found


class LaidOut(NamedTuple):
    """Blocks as text, the tokens of each, and the whole size of those that were cut."""

    text: str = ""
    blocks: Mapping[str, int] = {}
    cut: Mapping[str, int] = {}


def compose(
    system: str, parts: Mapping[str, str], *, blocks: Iterable[Block], stable: Iterable[Block] = (), room: Room
) -> Context:
    """Put a call together: the small parts take what they need, then the brief, then the state has all that is left."""
    given, brief = tuple(blocks), tuple(stable)
    fixed = _fixed(parts, room)
    shown, moved = _shared(brief, _for_brief(system, fixed, brief, room, room.settled), more=room.more)
    left = _left(system, fixed, shown.text, room.total)
    if shown.text and left < min(least(given), room.tail // 2):  # the model counts far more than when the stage began
        fixed = _fixed(parts, Room.of(room.scale, most=int(room.total * room.scale)))
        shown, moved = _shared(brief, _for_brief(system, fixed, brief, room, room.total), more=room.more)
        left = _left(system, fixed, shown.text, room.total)
    state = lay_out([*moved, *given], budget=left, more=room.more)
    return _joined(system, fixed, shown, state, room.total, free=left - _taken((*moved, *given)))


def _shared(brief: Sequence[Block], budget: int, *, more: int = 0) -> tuple[LaidOut, list[Block]]:
    """The blocks that fit whole, those in greater need first; of the first that does not, the lines that still fit."""
    left, inside = budget - _HEADING, dict[int, Block]()
    for place in sorted(range(len(brief)), key=lambda place: brief[place].need):
        size = estimate(brief[place].text.strip("\n")) + _frame_size(brief[place])
        kept = brief[place].need <= CODE or size <= brief[place].floor
        if size <= (left if kept else left - more):
            inside[place] = brief[place]
            left -= size
    moved = {place: block for place, block in enumerate(brief) if place not in inside}
    for place in sorted(moved, key=lambda place: brief[place].need)[:1]:
        begun, moved[place] = _parted(brief[place], left)
        if begun is not None:
            inside[place] = begun
    return lay_out([inside[at] for at in sorted(inside)], budget=budget), [*moved.values()]


def _parted(block: Block, room: int) -> tuple[Block | None, Block]:
    """The first lines of a block that may be cut, and the rest of it; one that may not stays in one piece."""
    begun = block._replace(title=f"{block.title}{GOES_ON}")
    lines, room = block.text.strip("\n").split("\n"), room - _frame_size(begun)
    if block.floor >= WHOLE or room < LEAST_PART:
        return None, block
    count = lines_in(lines, room=room)
    text, rest = "\n".join(lines[:count]), "\n".join(lines[count:])
    if not rest.strip() or estimate(text) > room:
        return None, block
    return begun._replace(text=text), block._replace(text=rest, floor=min(block.floor, LEAST_PART))


def _fixed(parts: Mapping[str, str], room: Room) -> dict[str, str]:
    scales = {name: room.settled_scale if name in STABLE else room.scale for name in MOST}
    given = {name: parts[name].strip("\n") for name in MOST if parts.get(name)}
    return {name: fit(f"## {name}\n{text}", int(MOST[name] / scales[name])) for name, text in given.items()}


def _for_brief(system: str, fixed: Mapping[str, str], brief: Sequence[Block], room: Room, total: int) -> int:
    """What floors need, and beyond that what is left when the state has its share."""
    rest = total - estimate(system) - sum(estimate(fixed[name]) for name in STABLE if name in fixed) - len(ORDER)
    return max(rest - room.tail, min(least(brief), rest - room.tail // 3))


def _left(system: str, fixed: Mapping[str, str], brief: str, total: int) -> int:
    texts = (*fixed.values(), brief and f"## brief\n{brief}")
    return total - estimate(system) - sum(map(estimate, texts)) - 2 * len(ORDER)


def _joined(system: str, fixed: Mapping[str, str], brief: LaidOut, state: LaidOut, room: int, *, free: int) -> Context:
    texts = dict(fixed)
    texts |= {name: f"## {name}\n{s.text}" for name, s in (("brief", brief), ("current_state", state)) if s.text}
    ordered = {name: texts[name] for name in ORDER if name in texts}
    sizes = {"system": estimate(system), **{name: estimate(text) for name, text in ordered.items()}}
    stable = "\n\n".join(ordered[name] for name in STABLE if name in ordered) if brief.text else ""
    # measured in parts, because measuring is most of a step's work; a blank line between two costs two more at most
    tokens = sum(sizes.values()) + 2 * max(0, len(ordered) - 1)
    blocks, cut = {**brief.blocks, **state.blocks}, {**brief.cut, **state.cut}
    return Context("\n\n".join(ordered.values()), sizes, tokens, blocks, cut, room, len(stable), free)


def lay_out(blocks: Iterable[Block], *, budget: int, more: int = 0) -> LaidOut:
    """The blocks in order, each in the room it gets; `more` of the budget is for those in need alone."""
    rows = _rooms(blocks, budget, more=more)
    texts: dict[int, str] = {}
    spare = 0
    for place in sorted(range(len(rows)), key=lambda place: rows[place][0].need):
        block, size, room = rows[place]
        if room >= size:
            texts[place] = _block(block, block.text.strip("\n"))
            continue
        room += spare
        body = block.shorten(block.text.strip("\n"), room - _frame_size(block))
        if body and room >= _LEAST_BLOCK:  # only what would be cut to a stump is left out
            texts[place] = _block(block, body)
        spare = room - (estimate(texts[place]) if place in texts else 0)
    cut = {b.title: max(size, b.whole) for b, size, room in rows if room < size or b.whole}
    sizes: dict[str, int] = {}
    for place in sorted(texts):
        title = rows[place][0].title
        sizes[title] = sizes.get(title, 0) + estimate(texts[place])
    return LaidOut("\n\n".join(texts[place] for place in sorted(texts)), sizes, cut)


def wanted(blocks: Iterable[Block]) -> int:
    """The room that these blocks take when nobody is in need."""
    given = [block for block in blocks if block.text.strip()]
    return _HEADING + sum(min(estimate(b.text) + _frame_size(b), b.cap) for b in given)


def least(blocks: Iterable[Block]) -> int:
    """The room that the floors of the blocks need."""
    given = [block for block in blocks if block.text.strip()]
    return _HEADING + sum(min(estimate(b.text) + _frame_size(b), b.cap, b.floor) for b in given)


GROWTH = 450
"""Tokens by which the rest of a context may grow with the next action: its line, its note, a warning."""


def _taken(blocks: Iterable[Block]) -> int:
    """What other blocks keep beside the result of the next action."""
    kept = GROWTH + 3 * _HEADING
    for block in blocks:
        if block.text.strip() and block.need != RESULT:
            size = estimate(block.text) + _frame_size(block)
            kept += min(size, block.cap if block.need < RESULT else block.floor)
    return kept


def _rooms(blocks: Iterable[Block], budget: int, *, more: int = 0) -> list[tuple[Block, int, int]]:
    """Each block that says something, its size and the room it gets."""
    given = [block for block in blocks if block.text.strip()]
    sizes = [estimate(b.text.strip("\n")) + _frame_size(b) for b in given]
    wants = [Want(size, b.cap, b.floor, b.need) for size, b in zip(sizes, given, strict=True)]
    return list(zip(given, sizes, allot(wants, budget - _HEADING, more=more), strict=True))


class Want(NamedTuple):
    """What a block would take: all of it, its usual share, what is kept for it, and who goes first."""

    size: int
    cap: int
    floor: int
    need: int = OLDER


def allot(wants: Sequence[Want], budget: int, *, more: int = 0) -> list[int]:
    """Room for each: floors first, then shares, then whatever is left; each time those in greater need first.

    `more` of the budget is for those in need alone: beyond their floors the others share what is left without it.
    """
    rooms = [0] * len(wants)
    left = max(0, budget)
    first = sorted(range(len(wants)), key=lambda place: wants[place].need)
    for need in sorted({want.need for want in wants}):
        floors = {place: min(want.size, want.cap, want.floor) for place, want in enumerate(wants) if want.need == need}
        if (asked := sum(floors.values())) > left:
            floors = {place: floor * left // asked for place, floor in floors.items()}
        for place, floor in floors.items():
            rooms[place] = floor
        left -= sum(floors.values())
    for most in ([min(want.size, want.cap) for want in wants], [want.size for want in wants]):
        for place in first:
            free = left if wants[place].need <= CODE else left - more
            extra = max(0, min(most[place] - rooms[place], free))
            rooms[place] += extra
            left -= extra
    return rooms


def _frame_size(block: Block) -> int:
    """Tokens of the heading and of the marks around a block."""
    return _HEADING + estimate(block.title) * (2 if block.untrusted else 1) + (2 * _HEADING if block.untrusted else 0)


def _block(block: Block, body: str) -> str:
    return f"### {block.title}\n{fence(block.title, body) if block.untrusted else body}"


def fence(label: str, text: str) -> str:
    """Material between marks that name its own digest: text cannot close a mark it cannot know."""
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    return f"<data {mark} {label}>\n{text}\n</data {mark}>"


def recent_actions(actions: Iterable[ActionTaken], *, made: bool = False) -> str:
    """One line per action: the last three and no more. `made`: what was handed in last is the stage's artifact."""
    last = [*actions][-3:]
    came = [_came(action, made=made and action is last[-1]) for action in last]
    lines = [
        f"- step {a.step} {a.tool} {_brief(a.params)} → {outcome}: {one_line(a.summary)}"
        for a, outcome in zip(last, came, strict=True)
    ]
    return "\n".join(lines) or "- none yet"


def _came(action: ActionTaken, *, made: bool) -> str:
    """How it ended. Whoever works on after handing in was refused."""
    if action.tool != "complete" or action.outcome != "ok":
        return action.outcome
    return "handed in" if made else "handed in, then refused"


def _brief(params: Mapping[str, object]) -> str:
    return one_line(", ".join(f"{key}={value}" for key, value in params.items() if key != "artifact"), 160)
