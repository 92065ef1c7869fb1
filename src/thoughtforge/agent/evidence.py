"""Evidence is looked up, never believed: the file must exist at the base commit and hold the snippet where it says."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workspaces.tree import Tree

NEAR = 3
"""Lines a snippet may be off: models count them badly, and the text itself is the proof."""
LEAST = 8
"""Characters a snippet needs unless it is a whole line: a single letter is found in every file and proves nothing."""


class Checked(NamedTuple):
    """The evidence that holds, and in words what is wrong with the rest."""

    holds: tuple[dict[str, Any], ...]
    wrong: tuple[str, ...]


async def check(tree: Tree, evidence: Iterable[Any]) -> Checked:
    """Look every piece up."""
    holds: list[dict[str, Any]] = []
    wrong: list[str] = []
    for piece in evidence:
        problem = await _problem(tree, piece)
        if problem:
            wrong.append(problem)
        else:
            holds.append(piece)
    return Checked(tuple(holds), tuple(wrong))


async def _problem(tree: Tree, piece: Any) -> str:
    if not isinstance(piece, dict) or not isinstance(piece.get("file"), str):
        return "evidence needs a file"
    path, line, snippet = piece["file"], piece.get("line"), piece.get("snippet")
    try:
        text = (await tree.read(path)).text
    except Mistake as mistake:
        return f"{path}: {mistake.what}"
    lines = [_plain(row) for row in text.splitlines()]
    if line is not None and not (isinstance(line, int) and 1 <= line <= len(lines)):
        return f"{path} has {len(lines)} lines, not line {line}"
    if not isinstance(snippet, str) or not _plain(snippet):
        return f"{path}: a snippet of the text is needed"
    return _snippet_problem(path, lines, line, snippet)


def _snippet_problem(path: str, lines: list[str], line: int | None, snippet: str) -> str:
    wanted = [_plain(row) for row in snippet.splitlines() if _plain(row)]
    starts = [at for at, row in enumerate(lines, start=1) if wanted[0] in row and _follows(lines, at, wanted)]
    if not starts:
        return f"{path} does not contain {snippet.strip()[:80]!r}"
    if len(_plain(snippet)) < LEAST and not any(lines[at - 1] == wanted[0] for at in starts):
        return f"{path}: {snippet.strip()!r} is too short to prove anything; quote the line"
    if line is not None and not any(abs(at - line) <= NEAR for at in starts):
        return f"{path}: the snippet is at line {starts[0]}, not {line}"
    return ""


def _follows(lines: list[str], at: int, wanted: list[str]) -> bool:
    rest = [row for row in lines[at - 1 :] if row][: len(wanted)]
    return len(rest) == len(wanted) and all(want in row for want, row in zip(wanted, rest, strict=True))


def _plain(text: str) -> str:
    return " ".join(text.split())
