"""A sentence that says several things: what it states, and the clauses that doubt, ask or set a limit of their own."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from thoughtforge.providers.builtin.sentences import Piece, cue
from thoughtforge.providers.builtin.sorting import WISH, asks, belongs, split

JOINT = re.compile(
    r"\s*(?:,(?!\d)|\s[-–—](?=\s))\s*(?:(?:but|and|or|though|although|so)\s+)?|\s+(?:but|although)\s+",
    re.IGNORECASE,
)
"""Where one clause ends and the next begins."""
SEGMENT = re.compile(r";\s+")
FEWEST_WORDS = 2
STRONG = ("constraints", "objective", "assumptions")


class StatedPart(NamedTuple):
    """A clause that stands on a list of its own."""

    text: str
    list: str


class PartedSentence(NamedTuple):
    """What a sentence states, and the clauses it has besides."""

    stated: str
    parts: tuple[StatedPart, ...]


@lru_cache(maxsize=4_000)
def parted(text: str) -> PartedSentence | None:
    """The parts of a sentence; None when it says one thing."""
    asked = split(text)
    if asked:
        return PartedSentence(asked.stated, (StatedPart(asked.asked, "open_questions"),))
    segments = [part for part in SEGMENT.split(text) if part.strip()]
    found = [_parted(part.strip()) for part in segments]
    parts = tuple(StatedPart(part, "unknowns") for one in found for part in one.parts)
    stated = "; ".join(one.stated for one in found if one.stated)
    return PartedSentence(_ended(stated, text), parts) if stated and parts else None


class _Segment(NamedTuple):
    stated: str
    parts: tuple[str, ...]


def _parted(segment: str) -> _Segment:
    """What a segment states and what of it is in doubt: all of it, or the clause at its end."""
    for joint in reversed(list(JOINT.finditer(segment))):
        before, after = segment[: joint.start()].strip(), segment[joint.end() :].strip()
        if before.count("(") == before.count(")") and _states(before) and _doubts(after):
            return _Segment(before, (after,))
    return _Segment("", (segment,)) if belongs(Piece(segment, "sentence", "")) == "unknowns" else _Segment(segment, ())


def _states(text: str) -> bool:
    """Whether a clause says something that stands for itself and is in no doubt."""
    if cue("unknown").search(text) or asks(text) or len(text.split()) < FEWEST_WORDS:
        return False
    return belongs(Piece(text, "sentence", "")) in STRONG


def _doubts(text: str) -> bool:
    found = cue("unknown").search(text)
    return found is not None and not WISH.match(text) and not asks(text) and len(text.split()) >= FEWEST_WORDS


def _ended(part: str, whole: str) -> str:
    """The first part with the mark at the end of the sentence."""
    end = whole.rstrip()[-1:]
    return f"{part}{end}" if end in ".!…" and part[-1:] != end else part
