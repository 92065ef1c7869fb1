"""The bytes of a file as the checks read them, and which lines of it changed."""

from __future__ import annotations

import difflib
import io
import tokenize

LOOK = 8 * 1024
"""A NUL byte this early makes a file binary."""
PYTHON = (".py", ".pyi")


def decode(path: str, data: bytes) -> str:
    """The text of a file, empty for a binary one. A Python file always has one: no odd byte may hide it."""
    if path.endswith(PYTHON):
        return _python(data)
    return "" if b"\0" in data[:LOOK] else data.decode("utf-8", "replace").removeprefix("\ufeff")


def changed_lines(before: str | None, now: str) -> frozenset[int]:
    """The numbers of the lines that are new or different; all of a file that was not there before."""
    new = now.split("\n")
    if before is None:
        return frozenset(range(1, len(new) + 1))
    old = before.split("\n")
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    # the middle alone is compared closely: edits are small, and the comparison is not quick
    matcher = difflib.SequenceMatcher(
        None, old[start : len(old) - end], new[start : len(new) - end], autojunk=len(new) - start - end > 2000
    )
    ranges = [(block[3], block[4]) for block in matcher.get_opcodes() if block[0] != "equal"]
    return frozenset(start + number + 1 for first, last in ranges for number in range(first, last))


def _common(one: list[str], other: list[str]) -> int:
    """How many lines at the beginning are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _python(data: bytes) -> str:
    """The text as Python itself would read it: in UTF-7 and the like, code can stand where others see a comment."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return data.decode("utf-8", "replace").removeprefix("\ufeff")
