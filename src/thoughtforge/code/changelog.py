"""Commit messages and changelog entries. What an agent wrote never passes for a trailer or a heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
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
    spaced = "".join(" " if char.isspace() else char for char in text)
    return " ".join("".join(char for char in spaced if unicodedata.category(char) not in UNSEEN).split())


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
    lines = [one_line(line) for line in LINE_ENDS.split(text)]
    quoted = [f"> {line}" if TRAILER.match(line) or DIVIDER.match(line) else line for line in lines]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(quoted)).strip("\n")


Kind = Literal["added", "changed", "removed", "fixed", "security"]
ORDER = ("added", "changed", "deprecated", "removed", "fixed", "security")
"""The order in which a changelog tells them."""
CHANGELOG = "CHANGELOG.md"
NEW = "# Changelog\n\nWhat changed for the people who use this project.\n"
RELEASE = re.compile(r"##\s+\S.*")
UNRELEASED = re.compile(r"##\s+\[?unreleased\]?.*", re.IGNORECASE)
SECTION = re.compile(r"###\s+(\S.*?)\s*")
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


def find(paths: Iterable[str]) -> str:
    """The changelog among the files of a repository; where it will be when there is none."""
    return next((path for path in sorted(paths) if path.lower() == CHANGELOG.lower()), CHANGELOG)


def with_entries(text: str | None, entries: Sequence[ChangelogEntry]) -> str:
    """A changelog with these entries; one that it has already is not told twice."""
    given = text if text and text.strip() else NEW
    lines = given.replace("\r\n", "\n").rstrip("\n").split("\n")
    bullet = next((found[1] for line in lines if (found := BULLET.fullmatch(line))), "-")
    parts = _parts(lines)
    flat = _is_flat(lines)
    for entry in entries:
        line = f"{bullet} {one_line(entry.text)}"
        if not any(line in section.lines for section in parts.sections):
            _section(parts.sections, "" if flat else entry.kind).lines.append(line)
    return _joined(parts).replace("\n", "\r\n" if "\r\n" in given else "\n")


def _is_flat(lines: list[str]) -> bool:
    """Whether the releases list their changes without sections."""
    first = next((at for at, line in enumerate(lines) if RELEASE.fullmatch(line)), len(lines))
    listed = any(BULLET.fullmatch(line) for line in lines[first:])
    return listed and not any(SECTION.fullmatch(line) for line in lines[first:])


def _parts(lines: list[str]) -> Parts:
    heads = [at for at, line in enumerate(lines) if RELEASE.fullmatch(line)]
    at = next((at for at in heads if UNRELEASED.fullmatch(lines[at])), None)
    if at is None:
        plain = bool(heads) and not any(re.match(r"##\s+\[", lines[head]) for head in heads)
        cut = heads[0] if heads else _before_links(lines)
        above = [*_without_end(lines[:cut]), "", "## Unreleased" if plain else "## [Unreleased]"]
        return Parts(above, [], lines[cut:])
    end = next((head for head in heads if head > at), None)
    if end is None:
        end = _before_links(lines)
    return Parts(lines[: at + 1], _sections(lines[at + 1 : end]), lines[end:])


def _before_links(lines: list[str]) -> int:
    """The first of the lines at the end that are links or empty."""
    at = len(lines)
    while at and (not lines[at - 1].strip() or LINK.fullmatch(lines[at - 1])):
        at -= 1
    return at


def _sections(lines: list[str]) -> list[ChangelogSection]:
    sections = [ChangelogSection("", [])]
    for line in lines:
        if found := SECTION.fullmatch(line):
            sections.append(ChangelogSection(found[1], [line]))
        else:
            sections[-1].lines.append(line)
    cut = [ChangelogSection(section.heading, _without_end(section.lines)) for section in sections]
    return [section for section in cut if section.lines]


def _without_end(lines: list[str]) -> list[str]:
    """The lines without the empty ones at their end and beginning."""
    kept = "\n".join(lines).strip("\n")
    return kept.split("\n") if kept else []


def _section(sections: list[ChangelogSection], name: str) -> ChangelogSection:
    """The section for a kind of change; a missing one is made at its place in the order."""
    for section in sections:
        if section.heading.lower() == name:
            return section
    made = ChangelogSection(name, [f"### {name.capitalize()}", ""] if name else [])
    later = [at for at, section in enumerate(sections) if _rank(section.heading) > _rank(name)]
    sections.insert(later[0] if later else len(sections), made)
    return made


def _rank(heading: str) -> int:
    name = heading.lower()
    return ORDER.index(name) if name in ORDER else -1


def _joined(parts: Parts) -> str:
    blocks = [parts.above, *(section.lines for section in parts.sections), _without_end(parts.below)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
