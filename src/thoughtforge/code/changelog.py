"""Commit messages and changelog entries. What an agent wrote never passes for a trailer or a heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal, NamedTuple

WIDTH = 72
"""The longest first line; git and its friends cut a longer one."""
LONGEST_SCOPE = 24
SCOPE = re.compile(r"[^a-z0-9_./-]+")
LINE_ENDS = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
TRAILER = re.compile(r"([a-z0-9]+(-[a-z0-9]+)+|requirement|fixes|closes|resolves|refs)\s*:", re.IGNORECASE)
"""A line that git or a bot would take for a trailer."""
DIVIDER = re.compile(r"---|diff |index: ", re.IGNORECASE)
"""A line after which programs that read patches stop reading a message."""
UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")


def commit_message(
    *, kind: str, subject: str, scope: str = "", body: str = "", trailers: Sequence[tuple[str, str]] = ()
) -> str:
    """The whole message, with a line break at its end. A machine signs nothing off."""
    if any(name.lower() == "signed-off-by" for name, _ in trailers):
        raise ValueError("only a person signs off")
    told = "\n".join(f"{name}: {one_line(value)}" for name, value in dict.fromkeys(trailers))
    parts = [_first_line(kind, scope, subject), _body(body), told]
    return "\n\n".join(part for part in parts if part) + "\n"


def one_line(text: str) -> str:
    """Text on one line, without characters nobody sees."""
    return " ".join(_visible(text).split())


def _visible(text: str) -> str:
    """Text without characters nobody sees; every other white space is a blank."""
    spaced = "".join(" " if char.isspace() else char for char in text)
    return "".join(char for char in spaced if unicodedata.category(char) not in UNSEEN)


def _first_line(kind: str, scope: str, subject: str) -> str:
    plain = SCOPE.sub("-", scope.lower()).strip("-./")
    head = f"{kind}({plain}): " if plain and len(plain) <= LONGEST_SCOPE else f"{kind}: "
    told = one_line(subject).rstrip(".") or "change without a description"
    room = WIDTH - len(head)
    if len(told) <= room:
        return head + told
    cut = told[: room - 1]
    return head + (cut.rpartition(" ")[0] or cut).rstrip(" ,;:") + "…"


def _body(text: str) -> str:
    lines = [_visible(line).strip() for line in LINE_ENDS.split(text)]
    quoted = [f"> {line}" if TRAILER.match(line) or DIVIDER.match(line) else line for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(quoted)).strip("\n")


Kind = Literal["added", "changed", "removed", "fixed", "security"]
ORDER = ("added", "changed", "deprecated", "removed", "fixed", "security")
"""The order in which a changelog tells them."""
WORDS = {
    "added": ("features", "feature", "new features", "new", "feat", "enhancements", "enhancement"),
    "changed": ("changes", "change", "improvements", "enhancements", "enhancement", "misc", "feature"),
    "removed": ("removal", "removals", "deprecations and removals", "breaking"),
    "fixed": ("bugfixes", "bugfix", "bug fixes", "fixes", "fix", "bug"),
    "security": ("bugfix", "fixed", "fix"),
}
"""Other words for a kind of change, the best first."""
CHANGELOG = "CHANGELOG.md"
NEW = "# Changelog\n\nWhat changed for the people who use this project.\n"
HEADING = re.compile(r"(#+)\s+(\S.*?)\s*")
VERSION = re.compile(r"\[?(version|release|v)?\.?\s*\d+(\.\d+)+|\[?unreleased\b", re.IGNORECASE)
"""How the heading of a release begins."""
UNRELEASED = re.compile(
    r"\W*(unreleased|upcoming|next( release| version)?|in development|development)\b", re.IGNORECASE
)
BULLET = re.compile(r"\s*([-*+])\s+\S.*")
LINK = re.compile(r"\[[^\]]+\]:\s+\S+")
"""A changelog often ends with links to its releases."""


class ChangelogEntry(NamedTuple):
    """One line of a changelog: the outcome for whoever uses the project."""

    kind: Kind
    text: str


class ChangelogSection(NamedTuple):
    """A heading and the lines below it; what stands before the first heading has none."""

    heading: str
    lines: list[str]


class Parts(NamedTuple):
    """A changelog, cut around what is not released yet."""

    above: list[str]
    """With the heading of the unreleased part at its end."""
    sections: list[ChangelogSection]
    below: list[str]


def with_entries(text: str | None, entries: Sequence[ChangelogEntry]) -> str:
    """A changelog with these entries; one that it has already is not told twice."""
    given = text if text and text.strip() else NEW
    lines = given.replace("\r\n", "\n").rstrip("\n").split("\n")
    bullet = next((found[1] for line in lines if (found := BULLET.fullmatch(line))), "-")
    level = _level(lines)
    parts, flat = _parts(lines, level), _is_flat(lines, level)
    for entry in entries:
        line = f"{bullet} {one_line(entry.text)}"
        if not any(line in section.lines for section in parts.sections):
            _section(parts.sections, "" if flat else entry.kind, level).lines.append(line)
    return _joined(parts).replace("\n", "\r\n" if "\r\n" in given else "\n")


def _level(lines: list[str]) -> int:
    """How deep the headings of releases are: that of the first heading with a version, or two."""
    found = [match for line in lines if (match := HEADING.fullmatch(line))]
    return next((len(match[1]) for match in found if VERSION.match(match[2]) or UNRELEASED.match(match[2])), 2)


def _head(line: str, level: int) -> str:
    """The text of a heading of that level; empty for any other line."""
    found = HEADING.fullmatch(line)
    return found[2] if found and len(found[1]) == level else ""


def _is_flat(lines: list[str], level: int) -> bool:
    """Whether the releases list their changes without sections."""
    first = next((at for at, line in enumerate(lines) if _head(line, level)), len(lines))
    listed = any(BULLET.fullmatch(line) for line in lines[first:])
    return listed and not any(_head(line, level + 1) for line in lines[first:])


def _parts(lines: list[str], level: int) -> Parts:
    heads = [at for at, line in enumerate(lines) if _head(line, level)]
    if level == 1:  # the title of the file is a heading of the same depth
        heads = [at for at in heads if VERSION.match(_head(lines[at], 1)) or UNRELEASED.match(_head(lines[at], 1))]
    at = next((at for at in heads if UNRELEASED.match(_head(lines[at], level))), None)
    if at is None:
        plain = bool(heads) and not any(_head(lines[head], level).startswith("[") for head in heads)
        cut = heads[0] if heads else _before_links(lines)
        head = _without_end(lines[:cut])
        above = [*head, *([""] if head else []), "#" * level + (" Unreleased" if plain else " [Unreleased]")]
        return Parts(above, [], lines[cut:])
    end = next((head for head in heads if head > at), None)
    if end is None:
        end = _before_links(lines)
    return Parts(lines[: at + 1], _sections(lines[at + 1 : end], level + 1), lines[end:])


def _before_links(lines: list[str]) -> int:
    """The first of the lines at the end that are links or empty."""
    at = len(lines)
    while at and (not lines[at - 1].strip() or LINK.fullmatch(lines[at - 1])):
        at -= 1
    return at


def _sections(lines: list[str], level: int) -> list[ChangelogSection]:
    sections = [ChangelogSection("", [])]
    for line in lines:
        if found := _head(line, level):
            sections.append(ChangelogSection(found, [line]))
        else:
            sections[-1].lines.append(line)
    cut = [ChangelogSection(section.heading, _without_end(section.lines)) for section in sections]
    return [section for section in cut if section.lines]


def _without_end(lines: list[str]) -> list[str]:
    """The lines without the empty ones at their end and beginning."""
    kept = "\n".join(lines).strip("\n")
    return kept.split("\n") if kept else []


def _section(sections: list[ChangelogSection], name: str, level: int) -> ChangelogSection:
    """The section for a kind of change; a missing one is made at its place in the order."""
    for section in sections:
        if section.heading.lower() in (name, *WORDS.get(name, ())):
            return section
    made = ChangelogSection(name, [f"{'#' * (level + 1)} {name.capitalize()}", ""] if name else [])
    later = [at for at, section in enumerate(sections) if _rank(section.heading) > _rank(name)]
    sections.insert(later[0] if later else len(sections), made)
    return made


def _rank(heading: str) -> int:
    name = heading.lower()
    return ORDER.index(name) if name in ORDER else -1


def _joined(parts: Parts) -> str:
    blocks = [parts.above, *(section.lines for section in parts.sections), _without_end(parts.below)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
