"""Commit messages and changelog entries. What an agent wrote never passes for a trailer or a heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.code.changelog_words import NOTHING_YET, ORDER, Kind, bare, means, under_label, word_for

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


CHANGELOG = "CHANGELOG.md"
NEW = "# Changelog\n\nWhat changed for the people who use this project.\n"
HEADING = re.compile(r"(#+)\s+(\S.*?)\s*")
VERSION = re.compile(
    r"""[\[(*`]*(version|release|rel|v)?[\s._-]*\d+(\.[\dx*]+)+  # 1.2, [1.2.0], v1.2.x, Version 1.2
      | [\[(*`]*(v|version\s|release\s)\s*\d+\b              # v12
      | [\[`]?[\w.@/-]+[\s@-]v?\d+(\.\d+)+\S*\s*([\])(,:|/–—-].*|\d{4}.*)?$  # shelf 1.2 (2026-01-01)
      | \[?\d{4}-\d\d-\d\d\b""",
    re.IGNORECASE | re.VERBOSE,
)
"""How the heading of a release begins."""
UNRELEASED = re.compile(
    r"""[^\w?]*([\w.@/-]+[ ](?=\())?[^\w?]*(  # a name may stand before the brackets
        (unreleased|not[ ](yet[ ])?released|upcoming|v?next|pending|future|n\.n\.n
         |(in[ ])?development([ ]version)?|wip|work[ ]in[ ]progress)
        ([ ](release|version|changes|features|v?\d\S*))?
      | (master|main|trunk|head|tip|develop|dev|devel|edge|current)([ ](branch|version|master|main|head))?
    )\s*([^\w\s].*)?$""",
    re.IGNORECASE | re.VERBOSE,
)
"""The whole heading of what is not released yet, when it names no version."""
LATER = re.compile(
    r"""\b(unreleased|unpublished|not\s(yet\s)?released|to\sbe\s(released|determined|announced)
        |(in|under)\s(active\s)?development|in\sprogress|tbd|tba|snapshot|dev\d*)\b
      | \?\.\? | (\?{2,4}|xx(xx)?|yyyy)[-/.]""",
    re.IGNORECASE | re.VERBOSE,
)
"""What says of a version that it is not released yet."""
BULLET = re.compile(r"(\s*)([-*+]\s+)\S.*")
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
    tight: bool = False
    """Whether the changes begin right below the heading."""


def is_release(text: str) -> bool:
    """Whether a heading is that of a release, or of what will be one."""
    return bool(VERSION.match(text) or UNRELEASED.match(text))


def is_open(text: str, below: Sequence[str] = ()) -> bool:
    """Whether a release is not out: its heading says so, or the first line below it."""
    if UNRELEASED.match(text) or LATER.search(text):
        return True
    first = next((line.strip() for line in below if line.strip()), "")
    return len(first) < LONGEST_STATE and not BULLET.fullmatch(first) and bool(LATER.search(first))


LONGEST_STATE = 60
"""The longest line that says when a release is out."""


def has_releases(text: str) -> bool:
    """Whether a text has headings of releases as Markdown marks them."""
    return bool(_level(text.replace("\r\n", "\n").split("\n")))


def with_entries(text: str | None, entries: Sequence[ChangelogEntry]) -> str:
    """A changelog with these entries; one that it has already is not told twice."""
    given = text if text and text.strip() else NEW
    lines = given.replace("\r\n", "\n").rstrip("\n").split("\n")
    found = [match for line in lines if (match := BULLET.fullmatch(line))]
    bullet = next((match[2] for match in found if not match[1]), found[0][2] if found else "- ")
    level = _level(lines) or 2
    parts, deep = _parts(lines, level), _deep(lines, level)
    flat = _is_flat(lines, parts, level)
    used = [head for each in lines if (head := _head(each, deep))]
    for entry in entries:
        line = f"{bullet}{one_line(entry.text)}"
        if not any(line in section.lines for section in parts.sections):
            told = _section(parts.sections, "" if flat else entry.kind, deep, called=word_for(entry.kind, used)).lines
            told[:] = [each for each in told if not NOTHING_YET.fullmatch(each)]
            if flat and (labelled := under_label(told, entry.kind, line, whole=lines)):
                told[:] = labelled
                continue
            listed = not told or not told[-1].strip() or told[-1][:1].isspace() or bool(BULLET.fullmatch(told[-1]))
            told += [line] if listed else ["", line]
    return _joined(parts).replace("\n", "\r\n" if "\r\n" in given else "\n")


def _level(lines: list[str]) -> int:
    """How deep the headings of releases are: as the first with a version, else as one that is not out; 0 for none."""
    found = [match for line in lines if (match := HEADING.fullmatch(line))]
    marked = [*(m for m in found if VERSION.match(m[2])), *(m for m in found if UNRELEASED.match(m[2]))]
    return len(marked[0][1]) if marked else 0


def _deep(lines: list[str], level: int) -> int:
    """How deep the headings of sections are."""
    first = next((at for at, line in enumerate(lines) if is_release(_head(line, level))), len(lines))
    depths = [len(match[1]) for line in lines[first:] if (match := HEADING.fullmatch(line))]
    return min((depth for depth in depths if depth > level), default=level + 1)


def _head(line: str, level: int) -> str:
    """The text of a heading of that level; empty for any other line."""
    found = HEADING.fullmatch(line)
    return found[2] if found and len(found[1]) == level else ""


def _is_flat(lines: list[str], parts: Parts, level: int) -> bool:
    """Whether the changes are listed without sections: in what is not out yet, or else in the releases."""
    if any(BULLET.fullmatch(line) for section in parts.sections for line in section.lines):
        return not any(section.heading for section in parts.sections)
    first = next((at for at, line in enumerate(lines) if _head(line, level)), len(lines))
    listed = any(BULLET.fullmatch(line) for line in lines[first:])
    return listed and not any(len(m[1]) > level for line in lines[first:] if (m := HEADING.fullmatch(line)))


def _parts(lines: list[str], level: int) -> Parts:
    """The first release counts: one further down that was never out stays as it is."""
    heads = [at for at, line in enumerate(lines) if _head(line, level)]
    releases = [at for at in heads if is_release(_head(lines[at], level))]
    top = releases[0] if releases else None
    end = next((head for head in heads if top is not None and head > top), None)
    if end is None:
        end = _before_links(lines)
    if top is not None and is_open(_head(lines[top], level), lines[top + 1 : end]):
        tight = bool(lines[top + 1 : end]) and bool(lines[top + 1].strip())
        return Parts(lines[: top + 1], _sections(lines[top + 1 : end], _deep(lines, level)), lines[end:], tight)
    plain = top is not None and not any(_head(lines[head], level).startswith("[") for head in releases)
    cut = _before_links(lines) if top is None else top
    head = _without_end(lines[:cut])
    above = [*head, *([""] if head else []), "#" * level + (" Unreleased" if plain else " [Unreleased]")]
    return Parts(above, [], lines[cut:])


def _before_links(lines: list[str]) -> int:
    """The first of the lines at the end that are links or empty."""
    at = len(lines)
    while at and (not lines[at - 1].strip() or LINK.fullmatch(lines[at - 1])):
        at -= 1
    return at


def _sections(lines: list[str], depth: int) -> list[ChangelogSection]:
    sections = [ChangelogSection("", [])]
    for line in lines:
        if found := _head(line, depth):
            sections.append(ChangelogSection(found, [line]))
        else:
            sections[-1].lines.append(line)
    cut = [ChangelogSection(section.heading, _without_end(section.lines)) for section in sections]
    return [section for section in cut if section.lines]


def _without_end(lines: list[str]) -> list[str]:
    """The lines without the empty ones at their end and beginning."""
    kept = "\n".join(lines).strip("\n")
    return kept.split("\n") if kept else []


def _section(sections: list[ChangelogSection], name: str, depth: int, *, called: str) -> ChangelogSection:
    """The section for a kind of change; a missing one is made at its place in the order."""
    for section in sections:
        if means(section.heading, name):
            return section
    made = ChangelogSection(name, [f"{'#' * depth} {called}", ""] if name else [])
    later = [at for at, section in enumerate(sections) if _rank(section.heading) > _rank(name)]
    sections.insert(later[0] if later else len(sections), made)
    return made


def _rank(heading: str) -> int:
    name = bare(heading)
    return ORDER.index(name) if name in ORDER else -1


def _joined(parts: Parts) -> str:
    blocks = [parts.above, *(section.lines for section in parts.sections), _without_end(parts.below)]
    if parts.tight:
        blocks[:2] = [[*blocks[0], *blocks[1]]]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"
