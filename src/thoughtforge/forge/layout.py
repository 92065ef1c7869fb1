"""Who writes which part of a plan file: the engine the header and its own sections, agents the body."""

from __future__ import annotations

import re
from typing import NamedTuple

from thoughtforge.forge.structure import HeadingLine, Stretch, key_of, marks_of

REQUIRED = ("Objective", "Scope", "Changes", "Risks", "Testing")
"""The sections a plan must have."""
MANIFEST = "Change Manifest"
AUDIT_LOG, NOTES = "Audit Log", "Implementation Notes"
OWN = (AUDIT_LOG, NOTES)
"""The sections no agent writes: the engine the first, a person the second."""
MOST_FILES = 1_000
"""What names more files is no plan; those after it are left out, and the plan is said to be too large."""
OWN_KEYS = frozenset(map(key_of, OWN))
RULE = re.compile(r"-(?:[ \t]*+-){2,}")


class OwnSection(NamedTuple):
    """A section of the engine's or the person's, with the blank lines and the rule before its heading."""

    key: str
    start: int
    text_start: int
    """After its heading."""
    end: int


class Layout(NamedTuple):
    """The parts of a plan file, in characters."""

    header_end: int
    """After the first rule, or before the first heading of level 2 or lower."""
    own: tuple[OwnSection, ...]
    body: tuple[Stretch, ...]
    """What lies between, which is the agents'."""


def layout_of(text: str) -> Layout:
    """Where header, body and own sections stand."""
    marks = marks_of(text)
    ends = [heading.start for heading in marks.headings if heading.level > 1][:1]
    ends += [min(rule.end + 1, len(text)) for rule in marks.rules[:1]]
    header_end = min(ends, default=len(text))
    heads = [heading for heading in marks.headings if heading.level == 2 and heading.start >= header_end]
    own: list[OwnSection] = []
    body: list[Stretch] = []
    at = header_end
    for place, heading in enumerate(heads):
        if key_of(heading.name) not in OWN_KEYS:
            continue
        start = before_separation(text, at, heading.start)
        text_start = min(heading.end + 1, len(text))
        end = _end(text, text_start, heads[place + 1] if heads[place + 1 :] else None)
        body.append(Stretch(at, start))
        own.append(OwnSection(key_of(heading.name), start, text_start, end))
        at = end
    return Layout(header_end, tuple(own), (*body, Stretch(at, len(text))))


def _end(text: str, start: int, following: HeadingLine | None) -> int:
    """Where an own section ends: before the next section, and before what separates it from the next own one."""
    if following is None:
        return len(text)
    if key_of(following.name) in OWN_KEYS:
        return before_separation(text, start, following.start)
    return following.start


def before_separation(text: str, start: int, end: int) -> int:
    """Where the blank lines and rules begin that a stretch of text ends with."""
    while start < end:
        line = max(text.rfind("\n", start, end - 1) + 1, start)
        content = text[line:end].strip()
        if content and not RULE.fullmatch(content):
            break
        end = line
    return end
