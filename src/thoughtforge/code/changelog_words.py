"""How changelogs name kinds of changes: words of headings, labels above lists, lines that only keep a place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Kind = Literal["added", "changed", "removed", "fixed", "security"]
ORDER = ("added", "changed", "deprecated", "removed", "fixed", "security")
"""The order in which a changelog tells them."""
WORDS = {
    "added": (
        *("features", "feature", "features added", "new features", "new", "feat", "enhancements", "enhancement"),
        *("new feature", "additions", "features and improvements", "new features and improvements"),
    ),
    "changed": ("changes", "change", "improvements", "enhancements", "enhancement", "other changes", "misc", "feature"),
    "removed": (
        *("removal", "removals", "deprecations and removals", "removed features", "incompatible changes"),
        *("backwards incompatible changes", "breaking changes", "breaking"),
    ),
    "fixed": ("bugfixes", "bugfix", "bug fixes", "bugs fixed", "bug fix", "bugs", "fixes", "fix", "bug"),
    "security": ("security fixes", "security fix", "bugfix", "fixed", "fix", "bug fixes", "fixes"),
}
"""Other words for a kind of change, the best first."""
LABEL = re.compile(r"(?P<mark>\*\*|__|)(?P<word>[A-Z][A-Za-z ]{2,40}?)(?P<end>:?(?P=mark):?)\s*")
"""A line such as `Bug fixes:` or `**Bug fixes**`; it needs a mark or a colon."""
NOTHING_YET = re.compile(
    r"[-*+]?\s*\(?(nothing(\s+has)?(\s+been)?\s+changed(\s+here)?(\s+yet)?|no(thing|\s+changes|ne)\s+yet)\)?\.?\s*",
    re.IGNORECASE,
)
"""A line that keeps the place of the first change."""


def means(heading: str, kind: str) -> bool:
    """Whether a heading names this kind of change, in whatever words."""
    return bare(heading) in (kind, *WORDS.get(kind, ()))


def bare(heading: str) -> str:
    """The words of a heading in small letters."""
    return re.sub(r":[a-z_]+:|[^a-z ]", "", heading.lower()).strip()


def is_known(heading: str) -> bool:
    """Whether a heading names any kind of change."""
    return any(means(heading, kind) for kind in ORDER)


def word_for(kind: str, used: Iterable[str]) -> str:
    """How a new section is called: as this changelog calls it elsewhere, else by the kind itself."""
    known: dict[str, str] = {}
    for heading in used:
        known.setdefault(bare(heading), heading)
    return next((known[word] for word in (kind, *WORDS.get(kind, ())) if word in known), kind.capitalize())


def under_label(lines: list[str], kind: str, line: str, *, whole: Iterable[str]) -> list[str] | None:
    """The lines with a new one below the label for its kind, which is made when it is missing; None without labels.

    The `whole` changelog says how such a label is worded.
    """
    labels = [(at, found) for at, each in enumerate(lines) if (found := _label(each)) is not None]
    if not labels:
        return None
    mine = next((place for place, (_, found) in enumerate(labels) if means(found["word"], kind)), None)
    if mine is None:
        at, like = labels[-1]
        gap = [""] if lines[at + 1 : at + 2] == [""] else []
        used = [found["word"] for each in whole if (found := _label(each)) is not None]
        label = f"{like['mark']}{word_for(kind, used)}{like['end']}"
        return [*lines[: _end(lines, len(lines))], "", label, *gap, line, *lines[_end(lines, len(lines)) :]]
    stop = _end(lines, labels[mine + 1][0] if mine + 1 < len(labels) else len(lines))
    gap = [""] if lines[stop - 1].strip() == labels[mine][1].group().strip() and lines[stop : stop + 1] == [""] else []
    return [*lines[:stop], *gap, line, *lines[stop:]]


def _label(line: str) -> re.Match[str] | None:
    found = LABEL.fullmatch(line)
    return found if found and (found["mark"] or found["end"]) and is_known(found["word"]) else None


def _end(lines: list[str], stop: int) -> int:
    """Behind the last line with text before `stop`."""
    return max((at for at in range(stop) if lines[at].strip()), default=-1) + 1
