"""The code a request is about: a scored search for its words over the tree, and the regions around what was found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log2
from typing import NamedTuple

from thoughtforge.agent.context import CODE, Block
from thoughtforge.agent.run import Run
from thoughtforge.agent.tokens import estimate
from thoughtforge.workspaces.tree import FileTree, SearchHit

TERM = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
NAMED = re.compile(r"`([^`\n]+)`|\b[a-z0-9]+_[A-Za-z0-9_]+\b|\b[a-z]+[A-Z]\w+\b|\b[A-Z]\w*[a-z][A-Z]\w+\b|\b\w+(?=\()")
"""What stands between backquotes or is written like a name in code."""
COMMON = frozenset(
    re.findall(
        r"\w+",
        """
about above add added after all also and any are because been before below but can change code could does each every
file files fix for from function functions get give given has have how implement instead into its just like make
method more must need new none not now number numbers off one only option other out over per please return returns
same set should show shows some such support test tests than that the their them then there these they this time too
under update use used user users using value values via want was way well what when where which who why will with
without work works would write you your
""",
    )
)
"""Words of every request."""
DEFINES = re.compile(
    r"\s*(?:export\s+|pub\s+|async\s+|static\s+|public\s+|default\s+)*"
    r"(?:(?:def|class|func|function|fn|type|interface|struct|impl|module|const|let|var|enum|trait)\s+(\w+)|(\w+)\s*(?::[^=]*)?=(?!=))"
)
"""A line that gives something its name."""
DEFINED = 8.0
"""What the place where a word of the request is defined counts for."""
GENERATED = re.compile(r"(?:^|/)(?:PKG-INFO|[^/]+\.(?:egg|dist)-info/.*|(?:build|dist|vendor)/.*|[^/]+\.min\.js)$")
"""Copies of what stands elsewhere, beside what languages leave behind."""
PROSE = (".md", ".rst", ".txt", ".po", ".json", ".lock", ".csv", ".html", ".svg")
MOST_TERMS = 24
MOST_HITS = 4_000
MOST_FILES = 6
AROUND = 12
"""Lines shown above and below a line that was found."""
UPWARD = 60
"""Lines to look upward for the head of what a line belongs to."""
WHOLE = 160
"""A file of no more lines is shown whole."""
SHOWN = 2_400
"""Tokens of code that are shown at once."""


class Region(NamedTuple):
    """Some lines of a file and how well they fit the request."""

    path: str
    first: int
    last: int
    score: float


def terms(text: str) -> dict[str, float]:
    """The words to search for with their weight: names count more than plain words."""
    named = {word for found in NAMED.finditer(text) for word in TERM.findall(found.group())}
    found: dict[str, float] = {}
    for word in TERM.findall(text):
        if word in named:
            found[word] = 4.0
        elif len(word) > 3 and word.lower() not in COMMON:
            found.setdefault(word.lower(), 1.0)
    return dict(sorted(found.items(), key=lambda item: -item[1])[:MOST_TERMS])


async def relevant_blocks(run: Run) -> list[Block]:
    """One part of a context with the code the request is about; none when nothing is found."""
    text = await relevant_code(run.library.tree, run.record.request(), room=SHOWN)
    title = "code the request seems to be about, found by its words (numbers are lines)"
    return [Block(title, text, SHOWN + 200, floor=SHOWN // 2, untrusted=True, need=CODE)] if text else []


async def relevant_code(tree: FileTree, request: str, *, room: int) -> str:
    """The best regions that fit the room, each under its path; the best first."""
    wanted = terms(request)
    if not wanted or not tree.paths():
        return ""
    pattern = "|".join(_either_case(word) for word in wanted)
    found = await tree.search(pattern, regex=True, limit=MOST_HITS)
    files = _best_files(wanted, found.hits)
    lines = {path: (await tree.read(path)).text.splitlines() for path in files}
    regions = [_regions(path, lines[path], files[path], wanted) for path in files]
    rest = sorted((region for found in regions for region in found[1:]), key=lambda region: -region.score)
    texts: list[str] = []
    for region in [*(found[0] for found in regions if found), *rest]:
        body = _numbered(region, lines[region.path])
        if estimate(body) <= room:
            texts.append(body)
            room -= estimate(body)
    return "\n\n".join(texts)


def _either_case(word: str) -> str:
    return f"[{word[0].upper()}{word[0].lower()}]{re.escape(word[1:])}" if word[0].isalpha() else re.escape(word)


def _best_files(wanted: dict[str, float], hits: Sequence[SearchHit]) -> dict[str, list[SearchHit]]:
    """The files that fit best, the best first, with their hits: rare words count more than frequent ones."""
    from thoughtforge.testing.language import left_behind

    by_file: dict[str, list[SearchHit]] = {}
    often: dict[str, int] = {}
    folders = {pattern.rstrip("/") for pattern in left_behind()}
    for hit in hits:
        if GENERATED.search(hit.path) or not folders.isdisjoint(hit.path.split("/")):
            continue
        by_file.setdefault(hit.path, []).append(hit)
        for word in _in(hit.text, wanted):
            often[word] = often.get(word, 0) + 1

    def score(path: str) -> float:
        said = {word for hit in by_file[path] for word in _in(hit.text, wanted)}
        rare = sum(wanted[word] / log2(2 + often[word]) for word in said)
        named = sum(wanted[word] for word in _in(path, wanted))
        here = DEFINED * len({word for hit in by_file[path] for word in _defined(hit.text, wanted)})
        return (rare + named + here) * (0.3 if path.lower().endswith(PROSE) else 1.0)

    best = sorted(by_file, key=lambda path: (-score(path), path))[:MOST_FILES]
    return {path: by_file[path] for path in best}


def _in(text: str, wanted: Iterable[str]) -> list[str]:
    lower = text.lower()
    return [word for word in wanted if word.lower() in lower]


def _defined(line: str, wanted: Iterable[str]) -> list[str]:
    """The words that this line gives a meaning."""
    found = DEFINES.match(line)
    name = (found[1] or found[2]).lower() if found else ""
    return [word for word in wanted if word.lower() == name]


def _regions(path: str, lines: list[str], hits: Sequence[SearchHit], wanted: dict[str, float]) -> list[Region]:
    """The parts of one file worth showing, the best first; a short file is one part."""
    if len(lines) <= WHOLE:
        return [Region(path, 1, len(lines), 0.0)]
    made: list[Region] = []
    for hit in hits:
        worth = sum(wanted[word] for word in _in(hit.text, wanted)) + (2.0 if _is_head(hit.text) else 0.0)
        worth += DEFINED * len(_defined(hit.text, wanted))
        first = max(1, min(_head(lines, hit.line), hit.line - AROUND // 2))
        last = min(len(lines), hit.line + AROUND * (2 if _is_head(hit.text) else 1))
        if made and first <= made[-1].last + 2:
            before = made.pop()
            first, last, worth = before.first, max(last, before.last), before.score + worth
        made.append(Region(path, first, last, worth))
    return sorted(made, key=lambda region: -region.score)


def _is_head(line: str) -> bool:
    """Whether a line begins something: it opens a block in most languages."""
    return bool(re.match(r"\s*(async\s+)?(def|class|func|function|fn|type|interface|struct|impl|module)\b", line))


def _head(lines: list[str], at: int) -> int:
    """The nearest line above that begins what this line belongs to; the line itself when none is near."""
    indent = _indent(lines[at - 1])
    for number in range(at - 1, max(0, at - UPWARD), -1):
        line = lines[number - 1]
        if line.strip() and _indent(line) < indent and _is_head(line):
            return number
    return at


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _numbered(region: Region, lines: list[str]) -> str:
    whole = region.last - region.first + 1 == len(lines)
    what = "" if whole else f", lines {region.first}–{region.last} of {len(lines)}"
    shown = lines[region.first - 1 : region.last]
    return "\n".join([f"{region.path}{what}", *(f"{n:>5} {line}" for n, line in enumerate(shown, region.first))])
