"""Where a repository tells its changes, and in which form: Markdown, underlined or plain headings, or one file each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.code.changelog import BULLET, UNRELEASED, VERSION, WORDS, ChangelogEntry, one_line, with_entries

SETTINGS = "towncrier.toml"
"""Where towncrier's folder is named."""
NAMES = ("changelog", "changes", "history", "news", "release_notes", "releases")
ENDINGS = ("", ".md", ".markdown", ".rst", ".txt")
FOLDERS = ("", "docs", "doc")
FRAGMENTS = ("changes", "changelog.d", "newsfragments", "news", "changelog", ".changes", "docs/changes", "docs/news")
FRAGMENT = re.compile(r"\+?[\w.-]+?\.(?P<kind>[a-z]+)(\.\d+)?(?P<end>\.(md|rst|txt))")
TOWNCRIER = re.compile(r"^\[tool\.towncrier\]", re.MULTILINE)
DIRECTORY = re.compile(r"^\s*directory\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
TOWNCRIER_KINDS = ("feature", "bugfix", "doc", "removal", "misc")
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
PLAIN = re.compile(r"(version |release |v)?\d+(\.\d+)+\b(?!.*[.!?]$).*", re.IGNORECASE)
"""A line that names a release without any mark."""


class ChangelogPlace(NamedTuple):
    """Where the entries go: one file, or a folder that gets one file for each."""

    path: str
    kinds: tuple[str, ...] = ()
    """Words for kinds in the names of files; empty for one file."""
    ending: str = ""
    numbered: bool = False
    """Whether names begin with the number of an issue; who has none begins with +."""


def find(paths: Iterable[str], settings: str = "") -> ChangelogPlace | None:
    """Where this repository tells its changes; None when it does not. `settings` is the text of SETTINGS."""
    known = sorted(paths)
    return _fragments(known, settings) or _file(known)


def _file(paths: Sequence[str]) -> ChangelogPlace | None:
    ranked = []
    for path in paths:
        folder, _, name = path.lower().rpartition("/")
        stem, ending = (name, "") if name in NAMES else (PurePosixPath(name).stem, PurePosixPath(name).suffix)
        if folder in FOLDERS and stem.replace("-", "_") in NAMES and ending in ENDINGS:
            ranked.append((FOLDERS.index(folder), NAMES.index(stem.replace("-", "_")), path))
    return ChangelogPlace(min(ranked)[2]) if ranked else None


def _fragments(paths: Sequence[str], settings: str) -> ChangelogPlace | None:
    towncrier = TOWNCRIER.search(settings)
    named = DIRECTORY.search(settings, towncrier.end()) if towncrier else None
    for folder in (named[1].strip("/"),) if named else FRAGMENTS:
        inside = [path.rpartition("/")[2] for path in paths if path.rpartition("/")[0] == folder]
        found = [match for name in inside if (match := FRAGMENT.fullmatch(name)) and _known(match["kind"])]
        if found:
            kinds = tuple(sorted({match["kind"] for match in found}))
            numbered = all(match.string[0] in "+0123456789" for match in found)
            return ChangelogPlace(folder, kinds, found[0]["end"], numbered or bool(towncrier))
        if towncrier and inside:
            return ChangelogPlace(folder, TOWNCRIER_KINDS, ".rst", numbered=True)
    return None


def _known(kind: str) -> bool:
    return kind in WORDS or kind in TOWNCRIER_KINDS or any(kind in words for words in WORDS.values())


def written(place: ChangelogPlace, text: str | None, entries: Sequence[ChangelogEntry], *, slug: str) -> dict[str, str]:
    """Path → text of every file that changes; `text` is that of the one file as it is."""
    if not place.kinds:
        return {place.path: _continued(place.path, text, entries)}
    made: dict[str, str] = {}
    for entry in entries:
        words = (entry.kind, *WORDS.get(entry.kind, ()), "misc")
        kind = next((word for word in words if word in place.kinds), place.kinds[0])
        start = f"{place.path}/{'+' if place.numbered else ''}{slug}"
        path = f"{start}.{kind}{place.ending}"
        number = 2
        while path in made:
            path, number = f"{start}-{number}.{kind}{place.ending}", number + 1
        made[path] = one_line(entry.text) + "\n"
    return made


def _continued(path: str, text: str | None, entries: Sequence[ChangelogEntry]) -> str:
    lines = (text or "").replace("\r\n", "\n").rstrip("\n").split("\n")
    heads = _underlined(lines) or ([] if path.lower().endswith((".md", ".markdown")) else _plain(lines))
    if not heads and (not (text or "").strip() or path.lower().endswith((".md", ".markdown")) or _has_marks(lines)):
        return with_entries(text, entries)
    done = _with_bullets(lines, heads, [one_line(entry.text) for entry in entries])
    return ("\n".join(done) + "\n").replace("\n", "\r\n" if "\r\n" in (text or "") else "\n")


def _has_marks(lines: Sequence[str]) -> bool:
    return any(re.match(r"#{1,4}\s+\S", line) for line in lines)


class ReleaseHead(NamedTuple):
    """The heading of a release: its first line, the line after it, its text and the sign below it."""

    at: int
    end: int
    text: str
    sign: str


def _underlined(lines: Sequence[str]) -> list[ReleaseHead]:
    """Releases with a line of signs below (and perhaps above), as in reStructuredText."""
    found = []
    for at, line in enumerate(lines[:-1]):
        below = UNDERLINE.fullmatch(lines[at + 1])
        named = VERSION.match(line.strip()) or UNRELEASED.match(line) or re.search(r"\d+\.\d+", line)
        if below and line.strip() and named and not UNDERLINE.fullmatch(line):
            over = at > 0 and lines[at - 1].strip() == lines[at + 1].strip()
            found.append(ReleaseHead(at - over, at + 2, line.strip(), below[1] * (2 if over else 1)))
    return [head for head in found if head.sign == found[0].sign]


def _plain(lines: Sequence[str]) -> list[ReleaseHead]:
    return [
        ReleaseHead(at, at + 1, line, "")
        for at, line in enumerate(lines)
        if PLAIN.fullmatch(line) or (UNRELEASED.match(line) and len(line) < 40)
    ]


def _with_bullets(lines: list[str], heads: Sequence[ReleaseHead], texts: Sequence[str]) -> list[str]:
    """The lines with the new ones below the release that is not out yet, which is made when there is none."""
    listed = next((found for line in lines if (found := BULLET.fullmatch(line))), None)
    lead = listed.string[: listed.start(1)] + listed[1] if listed else "*"
    new = [f"{lead} {text}" for text in texts if f"{lead} {text}" not in lines]
    if not new:
        return lines
    if not heads:
        first = next((at for at, line in enumerate(lines) if BULLET.fullmatch(line)), len(lines))
        return [*lines[:first], *([] if first < len(lines) else [""]), *new, *lines[first:]]
    top = heads[0]
    if not _is_open(top.text):
        gap = [""] if lines[top.end : top.end + 1] == [""] else []
        return [*lines[: top.at], *_heading(top), *gap, *new, "", *lines[top.at :]]
    end = next((head.at for head in heads[1:]), len(lines))
    last = max((at for at in range(top.end, end) if lines[at].strip()), default=top.end - 1)
    gap = [""] if last == top.end - 1 else []
    return [*lines[: last + 1], *gap, *new, *lines[last + 1 :]]


def _is_open(text: str) -> bool:
    return bool(
        UNRELEASED.match(text) or re.search(r"\b(unreleased|not yet released|in development|dev)\b", text, re.I)
    )


def _heading(like: ReleaseHead) -> list[str]:
    """A heading for what is not released yet, made like one that is there."""
    word = "Unreleased" + (":" if like.text.endswith(":") else "")
    rule = like.sign[:1] * len(word)
    if not like.sign:
        return [word]
    return [rule, word, rule] if len(like.sign) == 2 else [word, rule]
