"""How one changelog is continued as it is written: Markdown, underlined or plain headings, GNU's NEWS, Debian's."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from thoughtforge.code.changelog import (
    BULLET,
    UNRELEASED,
    VERSION,
    ChangelogEntry,
    has_releases,
    is_open,
    is_release,
    one_line,
    with_entries,
)
from thoughtforge.code.changelog_items import continued_items, items
from thoughtforge.code.changelog_words import NOTHING_YET, is_known, means, under_label, word_for

MARKDOWN = (".md", ".markdown")
KNOWN = ("", *MARKDOWN, ".rst", ".txt")
"""Endings of files whose form is known."""
UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}\s*")
PLAIN = re.compile(
    r"((overview of )?(changes|news|new|what's new) (in|for|since) )?([\w.-]+ )?(version |release |v)?"
    r"\d+(\.\d+)+\b(?!.*[.!?]$).*",
    re.IGNORECASE,
)
"""A line that names a release without any mark."""
LONGEST_PLAIN = 80
GNU = re.compile(r"\* ((noteworthy|major|user-visible) )?changes in (release |version )?\S+.*", re.IGNORECASE)
GNU_OPEN = "* Noteworthy changes in release ?.? (????-??-??) [?]"
GNU_WORDS = {"added": "New features", "changed": "Changes in behavior", "removed": "Changes in behavior"}
DEBIAN = re.compile(r"[\w.+-]+ \([^)]+\) (?P<to>[\w .-]+);\s*urgency=.*")
DATED = re.compile(r"\d{4}-\d\d-\d\d\s+\S.*<.+@.+>\s*")
"""The head of an entry in GNU's ChangeLog."""
MANAGED = re.compile(r"^(\.\. |<!-- )towncrier release notes start", re.MULTILINE)
GENERATED = re.compile(
    r"(do not|don't|never) edit|automatically (generated|updated)|auto-?generated|generated (by|with|from)"
    r"|for commit guidelines",
    re.IGNORECASE,
)
"""What a changelog says that a program writes."""
TOP = 15
"""The first lines, in which it says so."""
EMPTY = 6
"""The most lines of a changelog that has no release yet."""


class Continued(NamedTuple):
    """A changelog with its new entries, or why it is left as it is."""

    text: str
    why: str = ""


def continued(path: str, text: str, entries: Sequence[ChangelogEntry]) -> Continued:
    """The text with the entries below what is not released yet."""
    lines = text.replace("\r\n", "\n").rstrip("\n").split("\n")
    told = _told(path.lower(), lines, entries)
    if isinstance(told, str):
        return Continued(text, told)
    end = "\r\n" if "\r\n" in text else "\n"
    return Continued(end.join([*told, ""]))


def _told(path: str, lines: list[str], entries: Sequence[ChangelogEntry]) -> list[str] | str:
    """The new lines, or why there are none."""
    text, markdown = "\n".join(lines), path.endswith(MARKDOWN)
    if not path.endswith(KNOWN[1:]) and "." in path.rpartition("/")[2]:
        return "its form is not known"
    if MANAGED.search(text):
        return "towncrier writes it from fragments, and no setting says where these are"
    if said := next((line.strip() for line in lines[:TOP] if GENERATED.search(line)), ""):
        return f"it says that a program writes it: {said[:80]!r}"
    for form, made in OWN_FORMS.items():
        if any(form.fullmatch(line) for line in lines):
            return made(lines, entries)
    if not has_releases(text) and (listed := items(lines)):
        return continued_items(lines, listed, entries)
    if has_releases(text) and (markdown or not _underlined(lines)):
        return _markdown(text, entries)
    if heads := _underlined(lines) or ([] if markdown else _plain(lines)):
        return _under_heads(lines, heads, entries)
    if _is_empty(path, lines):
        return _markdown(text, entries) if markdown or not text.strip() else "it has no headings of releases"
    return _listed(path, lines, entries)


def _markdown(text: str, entries: Sequence[ChangelogEntry]) -> list[str]:
    return with_entries(text, entries).rstrip("\n").split("\n")


def _is_empty(path: str, lines: Sequence[str]) -> bool:
    """Whether a changelog was begun and tells nothing yet: a title and perhaps a sentence about changes."""
    told = [line for line in lines if line.strip()]
    named = path.rpartition("/")[2].startswith("change")
    about = not told or (told[0].startswith("# ") and "change" in "\n".join(told).lower())
    rest = [line for line in told[1:] if line.startswith("#") or BULLET.fullmatch(line)]
    return named and about and not rest and len(told) <= EMPTY


def _listed(path: str, lines: list[str], entries: Sequence[ChangelogEntry]) -> list[str] | str:
    """A list and nothing else gets its new lines at the top; other text without releases is no changelog."""
    told = [line for line in lines if line.strip()]
    bullets = [found for line in told if (found := BULLET.fullmatch(line))]
    alone = told and all(BULLET.fullmatch(line) or line[:1].isspace() for line in told)
    if not alone or path.rpartition("/")[2].startswith(("history", "release")):
        return "it has no headings of releases"
    new = _new(lines, bullets[0][1] + bullets[0][2] if bullets else "* ", entries)
    return [*new, *lines] if bullets else "it has no headings of releases"


def _new(lines: Sequence[str], lead: str, entries: Sequence[ChangelogEntry]) -> list[str]:
    """Lines for entries that are not there."""
    return [line for entry in entries if (line := f"{lead}{one_line(entry.text)}") not in lines]


class ReleaseHead(NamedTuple):
    """The heading of a release: its first line, the line after it, its text and the sign below it."""

    at: int
    end: int
    text: str
    sign: str


def _heads(lines: Sequence[str], named: Callable[[str], object]) -> list[ReleaseHead]:
    """Lines with a line of signs below (and perhaps above), as in reStructuredText."""
    found = []
    for at, line in enumerate(lines[:-1]):
        below = UNDERLINE.fullmatch(lines[at + 1])
        if below and line.strip() and named(line.strip()) and not UNDERLINE.fullmatch(line):
            over = at > 0 and lines[at - 1].strip() == lines[at + 1].strip()
            found.append(ReleaseHead(at - over, at + 2, line.strip(), below[1] * (2 if over else 1)))
    return found


def _underlined(lines: Sequence[str]) -> list[ReleaseHead]:
    """Underlined releases, all of one depth."""
    found = _heads(lines, lambda line: is_release(line) or re.search(r"\d+\.\d+", line))
    known = [head for head in found if VERSION.match(head.text)] or found
    return [head for head in found if head.sign == known[0].sign]


def _plain(lines: Sequence[str]) -> list[ReleaseHead]:
    """Lines that name a release; none where changes are listed above the first one."""
    found = [
        ReleaseHead(at, at + 1, line, "")
        for at, line in enumerate(lines)
        if len(line) < LONGEST_PLAIN
        and not BULLET.fullmatch(line)
        and (PLAIN.fullmatch(line) or UNRELEASED.match(line))
    ]
    return [] if found and any(BULLET.fullmatch(line) for line in lines[: found[0].at]) else found


def _under_heads(lines: list[str], heads: Sequence[ReleaseHead], entries: Sequence[ChangelogEntry]) -> list[str]:
    """The lines with the new ones below the release that is not out yet, which is made when there is none."""
    listed = [found for line in lines[heads[0].end :] if (found := BULLET.fullmatch(line))]
    lead = listed[0][1] + listed[0][2] if listed else "* "
    top = heads[0]
    end = next((head.at for head in heads[1:]), len(lines))
    if not is_open(top.text, lines[top.end : end]):
        gap = [""] if lines[top.end : top.end + 1] == [""] else []
        return [*lines[: top.at], *_heading(top), *gap, *_new([], lead, entries), "", *lines[top.at :]]
    body, rest = lines[top.end : end], lines[end:]
    used = [head for head in _heads(lines, str.strip) if head.sign != top.sign]
    for entry in entries:
        (line,) = _new([], lead, [entry])
        body = body if line in body else _in_body(body, line, entry.kind, used)
    return [*lines[: top.end], *body, *rest]


def _in_body(body: list[str], line: str, kind: str, used: Sequence[ReleaseHead]) -> list[str]:
    """An open release with a new line in the section for its kind, or at the end where there are no such sections."""
    if any(NOTHING_YET.fullmatch(each) for each in body):
        return [line if NOTHING_YET.fullmatch(each) else each for each in body]
    signs = {head.sign for head in used}
    sections = [head for head in _heads(body, str.strip) if head.sign in signs]
    if not sections and (labelled := under_label(body, kind, line, whole=body)):
        return labelled
    mine = next((at for at, section in enumerate(sections) if means(section.text, kind)), None)
    begin, end = 0, len(body)
    if mine is not None:
        begin, end = sections[mine].end, next((head.at for head in sections[mine + 1 :]), end)
    at = max((at for at in range(begin, end) if body[at].strip()), default=begin - 1) + 1
    if mine is None and any(is_known(section.text) for section in sections):
        head = _named(word_for(kind, [head.text for head in used]), sections[-1])
        return [*body[:at], "", *head, "", line, *body[at:]]
    tight = at and (BULLET.fullmatch(body[at - 1]) or body[at - 1][:1].isspace())
    return [*body[:at], *([] if tight else [""]), line, *body[at:]]


def _heading(like: ReleaseHead) -> list[str]:
    """A heading for what is not released yet, made like one that is there."""
    return _named("Unreleased" + (":" if like.text.endswith(":") else ""), like)


def _named(word: str, like: ReleaseHead) -> list[str]:
    """A heading of these words, made like another one."""
    rule = like.sign[:1] * len(word)
    if not like.sign:
        return [word]
    return [rule, word, rule] if len(like.sign) == 2 else [word, rule]


def _gnu(lines: list[str], entries: Sequence[ChangelogEntry]) -> list[str]:
    """GNU's NEWS: a head with one star, sections with two, paragraphs."""
    heads = [at for at, line in enumerate(lines) if GNU.fullmatch(line)]
    if not is_open(lines[heads[0]]):
        lines = [*lines[: heads[0]], GNU_OPEN, "", *lines[heads[0] :]]
    top = heads[0]
    for entry in entries:
        end = next((at for at in range(top + 1, len(lines)) if GNU.fullmatch(lines[at])), len(lines))
        told, head = f"  {one_line(entry.text)}", f"** {GNU_WORDS.get(entry.kind, 'Bug fixes')}"
        if told in lines[top:end]:
            continue
        at = next((at for at in range(top, end) if lines[at].strip().lower() == head.lower()), None)
        new = [told] if at is not None else [head, "", told]
        stop = next((n for n in range(at + 1, end) if lines[n].startswith("** ")), end) if at is not None else end
        while not lines[stop - 1].strip():
            stop -= 1
        lines = [*lines[:stop], "", *new, *([] if lines[stop : stop + 1] == [""] else [""]), *lines[stop:]]
    return lines


def _debian(lines: list[str], entries: Sequence[ChangelogEntry]) -> list[str] | str:
    """Debian's changelog: a new version needs a number and a signature, which only a person gives."""
    at, found = next((at, found) for at, line in enumerate(lines) if (found := DEBIAN.fullmatch(line)))
    if found["to"] != "UNRELEASED":
        return "a new version in Debian's form needs a number and a signature"
    end = next((n for n in range(at, len(lines)) if lines[n].startswith(" -- ")), len(lines))
    last = max(n for n in range(at, end) if lines[n].strip())
    gap = [""] if last == at else []
    return [*lines[: last + 1], *gap, *_new(lines[at:end], "  * ", entries), *lines[last + 1 :]]


def _signed(lines: list[str], entries: Sequence[ChangelogEntry]) -> str:
    return "an entry in the form of GNU's ChangeLog names its author and every function"


OWN_FORMS: dict[re.Pattern[str], Callable[[list[str], Sequence[ChangelogEntry]], list[str] | str]] = {
    DEBIAN: _debian,
    DATED: _signed,
    GNU: _gnu,
}
"""What marks a form → how it is continued."""
