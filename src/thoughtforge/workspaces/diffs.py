"""What differs between two trees or commits: paths, lines, text. No program a repository names is run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from thoughtforge.workspaces.git import Git, decode_path

PLAIN = ("-r", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
HUNK = re.compile(rb"@@ -\S+ \+(\d+)(?:,(\d+))? @@")
KINDS: dict[str, Literal["created", "deleted", "moved"]] = {"A": "created", "D": "deleted", "R": "moved"}


class Change(NamedTuple):
    """One path that differs. Lines are counted unless the file is binary."""

    path: str
    change: Literal["created", "modified", "deleted", "moved"]
    added: int | None
    removed: int | None
    old_path: str = ""
    """Where a moved file came from."""


async def changes(git: Git, a: str, *, b: str) -> tuple[Change, ...]:
    """Every path that differs from a to b, in git's order."""
    raw = await git.output("diff-tree", *PLAIN, "-z", "--raw", "--numstat", "--end-of-options", a, b)
    tokens = iter(raw.split(b"\0")[:-1])
    found: list[tuple[str, str, str]] = []
    counts: list[tuple[int | None, int | None]] = []
    for token in tokens:
        if token.startswith(b":"):
            status = token.rsplit(b" ", 1)[1].decode("ascii")[0]
            old = decode_path(next(tokens))
            found.append((status, old, decode_path(next(tokens)) if status == "R" else old))
        else:
            added, removed, path = token.split(b"\t", 2)
            counts.append((_count(added), _count(removed)))
            if not path:  # a move names both of its paths after the numbers
                next(tokens)
                next(tokens)
    return tuple(
        Change(new, KINDS.get(status, "modified"), *count, old_path=old if status == "R" else "")
        for (status, old, new), count in zip(found, counts, strict=True)
    )


async def changed_lines(git: Git, a: str, *, b: str) -> dict[str, frozenset[int]]:
    """The lines of b, by path, that a does not have; a moved file counts only what changed in it."""
    # content begins with > or <, so that no line of a file can pass for a header
    marks = ("--output-indicator-new=>", "--output-indicator-old=<")
    raw = await git.output("diff-tree", *PLAIN, *marks, "-p", "-U0", "--end-of-options", a, b)
    lines: dict[str, set[int]] = {}
    path = ""
    for line in raw.split(b"\n"):
        if line.startswith(b"+++ "):
            path = _named(line[4:])
        elif (hunk := HUNK.match(line)) and path:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(path, set()).update(range(first, first + count))
    return {path: frozenset(numbers) for path, numbers in lines.items() if numbers}


async def diff(git: Git, a: str, *, b: str, paths: Sequence[str] = ()) -> str:
    """The difference as people read it, of all paths or of some."""
    raw = await git.output("diff-tree", *PLAIN, "-p", "--end-of-options", a, b, "--", *paths)
    return raw.decode("utf-8", "replace")


def _count(raw: bytes) -> int | None:
    return None if raw == b"-" else int(raw)


def _named(raw: bytes) -> str:
    """The path of a `+++` line; empty for a file that is gone. Odd names come quoted, with spaces a tab follows."""
    if raw.startswith(b'"'):
        raw = raw.rstrip(b"\t")[1:-1].decode("unicode_escape").encode("latin-1")
    else:
        raw = raw.removesuffix(b"\t")
    return "" if raw == b"/dev/null" else decode_path(raw.removeprefix(b"b/"))
