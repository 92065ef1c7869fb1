"""A changelog whose releases are the items of one list: `- 1.2: Faster. Bug fixes.`, the newest first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.code.changelog import LATER, UNRELEASED, ChangelogEntry, one_line

ITEM = re.compile(
    r"(?P<mark>[-*+][ \t]+)(?P<head>[*`]*(version |release |v)?(?P<number>\d+(\.\d+)+)\S*?[*`]*)"
    r"(?P<colon>( \([^)]*\))?\s?[:–—-])(?P<rest>\s.*|)",
    re.IGNORECASE,
)
OPEN = re.compile(r"(?P<mark>[-*+][ \t]+)(?P<head>[^:]+)(?P<colon>:)(?P<rest>\s.*|)")
FEWEST = 2
OLDEST_FIRST = "its releases are the items of a list, and the newest is not at the top"


class Items(NamedTuple):
    """Where the items begin, and the first of them."""

    at: list[int]
    first: re.Match[str]


def items(lines: Sequence[str]) -> Items | None:
    """The releases of a list that has one item for each; None for any other text."""
    starts = [at for at, line in enumerate(lines) if re.match(r"[-*+][ \t]", line)]
    released = [at for at in starts if ITEM.fullmatch(lines[at])]
    if len(released) < FEWEST or len(starts) - len(released) > 1:
        return None
    first = ITEM.fullmatch(lines[starts[0]]) or OPEN.fullmatch(lines[starts[0]])
    if first is None or (starts[0] != released[0] and not UNRELEASED.match(first["head"])):
        return None
    told = all(
        not line.strip() or line[:1].isspace() for at, line in enumerate(lines) if at > starts[0] and at not in starts
    )
    return Items(starts, first) if told else None


def continued_items(lines: list[str], found: Items, entries: Sequence[ChangelogEntry]) -> list[str] | str:
    """The lines with the entries in the first item when that is not released yet, else in a new one above it."""
    numbers = [_number(known) for at in found.at if (known := ITEM.fullmatch(lines[at]))]
    if numbers[0] < numbers[1]:
        return OLDEST_FIRST
    texts = [one_line(entry.text) for entry in entries]
    at, end = found.at[0], found.at[1]
    body = [found.first["rest"].strip(), *(line.strip() for line in lines[at + 1 : end])]
    indent = _indent(lines, found)
    if _is_open(found.first):
        stop = max(n for n in range(at, end) if lines[n].strip()) + 1
        return [*lines[:stop], *(f"{indent}{text}" for text in texts if text not in body), *lines[stop:]]
    head = f"{found.first['mark']}Unreleased: {texts[0]}"
    return [*lines[:at], head, *(f"{indent}{text}" for text in texts[1:]), *lines[at:]]


STATE = re.compile(
    r"\s*(future|next|upcoming|unreleased|(in )?development|not (yet )?released|tbd|tba)\b", re.IGNORECASE
)


def _is_open(first: re.Match[str]) -> bool:
    named = UNRELEASED.match(first["head"]) or LATER.search(first["head"] + first["colon"])
    return bool(named or STATE.match(first["rest"]))


def _number(known: re.Match[str]) -> tuple[int, ...]:
    return tuple(map(int, known["number"].split(".")))


def _indent(lines: Sequence[str], found: Items) -> str:
    """As further lines of an item are indented, else as wide as its mark."""
    further = (line for at, line in enumerate(lines) if at > found.at[0] and at not in found.at and line.strip())
    like = next(further, "")
    return like[: len(like) - len(like.lstrip())] or " " * len(found.first["mark"])
