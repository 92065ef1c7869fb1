"""No block of code exists twice.

Blocks are compared line by line without indentation, blank lines, comments and imports, so that moving and re-indenting
does not hide a copy. Renaming does: this finds what was pasted, not what was rewritten.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import NamedTuple

from pydantic import Field

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

CATEGORY: Category = "quality"
MOMENT: Moment = "stage_end"
SEVERITY: Severity = "minor"
DESCRIPTION = "No changed block of lines is a copy of another one in the repository."
HINT = "Make it one function and call it from both places."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (
    *(".py", ".js", ".jsx", ".mjs", ".ts", ".tsx", ".vue", ".go", ".rs", ".java", ".kt", ".cs", ".rb", ".php"),
    *(".c", ".cc", ".cpp", ".swift", ".scala", ".sh"),
)

IDLE = re.compile(r"[\W\d]*|\w+,?|(?:#|//|/?\*|--).*|(?:import|from|use|using|package|#include|require)\b.*")
"""Lines that say nothing by themselves."""


class Options(Value):
    """How long a block must be."""

    lines: int = Field(default=8, ge=3)
    """How many equal code lines in a row count as a copy."""
    exclude: tuple[str, ...] = ("**/migrations/**", "**/*_pb2.py", "**/*.min.js", "**/generated/**", "**/vendor/**")
    """Path patterns of generated files."""


class CodeLine(NamedTuple):
    """A line with code in it, as it is compared."""

    number: int
    text: str


class Copy(NamedTuple):
    """Two blocks of one file or of two that read the same; the numbers count lines with code, from 0."""

    path: str
    start: int
    other: str
    other_start: int
    length: int


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every changed block that is there a second time, with the other place."""
    ours = [path for path in context.paths if path.endswith(ENDINGS) and not any_matches(path, options.exclude)]
    kinds = {PurePosixPath(path).suffix for path in ours}
    everywhere = {*ours, *context.base_paths()}
    others = [path for path in everywhere if path.endswith(tuple(kinds)) and not any_matches(path, options.exclude)]
    files = {path: coded(context.text(path)) for path in sorted(others)} if kinds else {}
    pairs = copies(files, set(ours), size=options.lines)
    return [_found(copy, files, options.lines) for copy in pairs if _new(context, copy, files, options.lines)]


def _new(context: CheckContext, copy: Copy, files: dict[str, list[CodeLine]], size: int) -> bool:
    """Whether one of the two blocks came since the base commit; indenting it anew does not count."""
    if context.changed is None:
        return True
    for path, start in ((copy.path, copy.start), (copy.other, copy.other_start)):
        if path in context.changed:
            before = Counter(_windows(coded(context.base_text(path) or ""), size))
            now = Counter(_windows(files[path], size))
            block = files[path][start : start + copy.length]
            if any(now[key] > before[key] for key in _windows(block, size)):
                return True
    return False


def _found(copy: Copy, files: dict[str, list[CodeLine]], size: int) -> Violation:
    here = files[copy.path][copy.start : copy.start + copy.length]
    there = files[copy.other][copy.other_start : copy.other_start + copy.length]
    message = (
        f"lines {here[0].number} to {here[-1].number} are the same as"
        f" lines {there[0].number} to {there[-1].number} of {copy.other}"
    )
    digest = hashlib.sha256("\n".join(line.text for line in here[:size]).encode("utf-8", "replace")).hexdigest()
    return Violation(copy.path, here[0].number, message, anchor=digest)


def coded(text: str) -> list[CodeLine]:
    """The lines that say something."""
    stripped = ((number, " ".join(line.split())) for number, line in enumerate(text.split("\n"), start=1))
    return [CodeLine(number, line) for number, line in stripped if not IDLE.fullmatch(line)]


def copies(files: dict[str, list[CodeLine]], ours: set[str], *, size: int) -> list[Copy]:
    """Every pair of blocks of at least that size, the first of them in one of our files; each pair once."""
    places: dict[int, list[tuple[str, int]]] = {}
    for path in sorted(files, key=lambda each: (each not in ours, each)):
        for start, key in enumerate(_windows(files[path], size)):
            if path in ours:
                places.setdefault(key, []).append((path, start))
            elif key in places:
                places[key].append((path, start))
    pairs = [pair for found in places.values() if len(found) > 1 for pair in _pairs(found, ours, size)]
    return list(_joined(sorted(pairs), size))


def _windows(lines: list[CodeLine], size: int) -> Iterator[int]:
    hashes = [hash(line.text) for line in lines]
    for start in range(len(lines) - size + 1):
        yield hash(tuple(hashes[start : start + size]))


def _pairs(found: list[tuple[str, int]], ours: set[str], size: int) -> Iterator[tuple[str, str, int, int]]:
    """Each place of ours beside the first place that reads the same; the later one of two of ours is the copy."""
    first = found[0] if found[-1][0] in ours else found[-1]
    for path, start in found:
        apart = path != first[0] or abs(start - first[1]) >= size
        if path in ours and apart:
            yield path, first[0], first[1] - start, start


def _joined(pairs: list[tuple[str, str, int, int]], size: int) -> Iterator[Copy]:
    """Windows that follow each other are one block."""
    at = 0
    while at < len(pairs):
        path, other, shift, start = pairs[at]
        end = start
        while at + 1 < len(pairs) and pairs[at + 1] == (path, other, shift, end + 1):
            at, end = at + 1, end + 1
        yield Copy(path, start, other, start + shift, end - start + size)
        at += 1
