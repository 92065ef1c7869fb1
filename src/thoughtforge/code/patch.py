"""A unified diff of one file, applied strictly: every line it names must be there, nothing is guessed.

A hunk whose line number is off is still taken when its old lines occur at exactly one place; that risks nothing,
because all of them are compared. The counts of its header do not matter: its own lines say what it changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from thoughtforge.kernel.errors import UserError

HEAD = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
PREAMBLE = ("diff ", "index ", "old mode ", "new mode ", "similarity index ")
AROUND = 3
"""Lines of the file shown before and after the place a hunk does not fit."""


class Hunk(NamedTuple):
    """One change. Its lines end with a line break, except the last line of a file that has none there."""

    number: int
    first: int
    """Where the old lines begin, by its own account."""
    old: tuple[str, ...]
    new: tuple[str, ...]


def apply(patch: str, text: str, *, path: str) -> str:
    """The text with every hunk applied; the first that does not fit is a UserError that shows the real lines."""
    lines = split_lines(text)
    result: list[str] = []
    done = 0
    for hunk in hunks(patch, path=path):
        at = _place(hunk, lines, start=done, path=path)
        result += [*lines[done:at], *hunk.new]
        done = at + len(hunk.old)
    result += lines[done:]
    return "".join([*(line.removesuffix("\n") + "\n" for line in result[:-1]), *result[-1:]])


def hunks(patch: str, *, path: str) -> list[Hunk]:
    """The hunks of a patch for one file; anything else in it is refused."""
    blocks = _blocks(split_lines(patch.replace("\r\n", "\n")))
    _check_headers(next(blocks), path)
    found = [_hunk(block, number) for number, block in enumerate(blocks, start=1)]
    if not found:
        raise UserError(
            "the patch has no hunk",
            do="Begin each block with @@ -FIRST,COUNT +FIRST,COUNT @@, or give old and new instead of a patch.",
        )
    return found


def split_lines(text: str) -> list[str]:
    """Lines with their ends. Only \\n ends a line here; what else Unicode calls a line break is text."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def numbered(lines: list[str], first: int, last: int) -> str:
    """Lines from first to last, counted from 1, with their numbers."""
    shown = range(max(first, 1), min(last, len(lines)) + 1)
    return "\n".join(f"{number:>6}  {lines[number - 1].rstrip()}" for number in shown)


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """What comes before the first hunk, then each hunk with its header."""
    block: list[str] = []
    for line in lines:
        if line.startswith("@@"):
            yield block
            block = []
        block.append(line)
    yield block


def _check_headers(lines: list[str], path: str) -> None:
    for line in lines:
        if line.startswith(("--- ", "+++ ")):
            _check_name(line[4:].partition("\t")[0].strip(), path)
        elif line.strip() and not line.startswith(PREAMBLE):
            raise UserError(
                f"the patch has a line that belongs to no hunk: {line.strip()[:80]!r}",
                do="Begin with @@, or with --- and +++ for the same file, and leave every other text out.",
            )


def _check_name(name: str, path: str) -> None:
    if name == "/dev/null":
        raise UserError("the patch creates or deletes a file", do="Use create_file or delete_file for that.")
    if path not in (name, name.removeprefix("a/"), name.removeprefix("b/")):
        raise UserError(f"the patch names {name}, not {path}", do="One patch changes one file; name it by its path.")


def _hunk(block: list[str], number: int) -> Hunk:
    head = HEAD.fullmatch(block[0].rstrip("\n"))
    if head is None:
        raise UserError(
            f"hunk {number} begins with {block[0].strip()[:80]!r}", do="Begin it with @@ -FIRST,COUNT +FIRST,COUNT @@."
        )
    wanted = (int(head[2] or 1), int(head[4] or 1))
    lines = block[1:]
    while lines and lines[-1] == "\n" and _counts(lines) != wanted:
        lines.pop()  # an empty line behind the hunk, or one of its context that nothing depends on
    sides: tuple[list[str], list[str]] = ([], [])
    last = ""
    for line in lines:
        if line.startswith("--- ") and _counts(lines) != wanted:
            raise UserError(
                f"hunk {number} goes on with another file: {line.strip()[:80]!r}", do="One patch changes one file."
            )
        mark = line[0] if line != "\n" else " "  # editors and models cut the space of an empty line
        _add(line, mark, sides, after=last, number=number)
        last = mark
    return Hunk(number, int(head[1]), tuple(sides[0]), tuple(sides[1]))


def _counts(lines: list[str]) -> tuple[int, int]:
    """How many old and new lines a hunk has."""
    marks = [line[0] if line != "\n" else " " for line in lines]
    return sum(mark in " -" for mark in marks), sum(mark in " +" for mark in marks)


def _add(line: str, mark: str, sides: tuple[list[str], list[str]], *, after: str, number: int) -> None:
    """Take one line of a hunk; `\\ No newline at end of file` is about the line before it."""
    old, new = sides
    if mark == "\\":
        for side in [old] * (after in (" ", "-")) + [new] * (after in (" ", "+")):
            side[-1] = side[-1].removesuffix("\n")
        return
    if mark not in (" ", "+", "-"):
        raise UserError(
            f"hunk {number} has a line that begins with {mark!r}: {line.strip()[:80]!r}",
            do="Begin every line of a hunk with a space, + or -.",
        )
    text = line[1:].removesuffix("\n") + "\n"
    if mark in (" ", "-"):
        old.append(text)
    if mark in (" ", "+"):
        new.append(text)


def _place(hunk: Hunk, lines: list[str], *, start: int, path: str) -> int:
    """Where a hunk's old lines are, counted from 0; never before what an earlier hunk has changed."""
    size = len(hunk.old)
    said = hunk.first - 1 if size else hunk.first  # without old lines it stands behind the line it names
    if start <= said <= len(lines) and _fits(hunk, lines, said):
        return said
    if not size:
        raise _misfit(hunk, f"{path} has {len(lines)} lines", lines, said)
    places = [at for at in range(start, len(lines) - size + 1) if _fits(hunk, lines, at)]
    if len(places) == 1:
        return places[0]
    if places:
        told = ", ".join(str(at + 1) for at in places[:5])
        raise _misfit(hunk, f"not at line {hunk.first}, but its old lines occur at lines {told}", lines, said)
    raise _misfit(hunk, _difference(hunk, lines, said), lines, said)


def _fits(hunk: Hunk, lines: list[str], at: int) -> bool:
    """Whether the old lines are there; a last line without a line break may be given with one."""
    real = lines[at : at + len(hunk.old)]
    if real and at + len(real) == len(lines) and not real[-1].endswith("\n"):
        return tuple(real[:-1]) == hunk.old[:-1] and real[-1] == hunk.old[-1].removesuffix("\n")
    return tuple(real) == hunk.old


def _difference(hunk: Hunk, lines: list[str], at: int) -> str:
    """The first line that is not as the hunk says."""
    for offset, wanted in enumerate(hunk.old):
        number = at + offset
        real = lines[number] if 0 <= number < len(lines) else None
        if real is None:
            return f"the file has no line {number + 1}"
        if real != wanted:
            ends = " (only the line break at the end differs)" if real.rstrip("\n") == wanted.rstrip("\n") else ""
            return f"line {number + 1} is {real.rstrip()[:100]!r}, the hunk says {wanted.rstrip()[:100]!r}{ends}"
    return "its old lines lie in what an earlier hunk changed"


def _misfit(hunk: Hunk, why: str, lines: list[str], at: int) -> UserError:
    real = numbered(lines, at + 1 - AROUND, at + len(hunk.old) + AROUND) or numbered(lines, len(lines) - 5, len(lines))
    return UserError(
        f"hunk {hunk.number} does not fit: {why}",
        do="Write the hunk again from the real lines; nothing was changed.",
        details=("the file has:", real),
    )
