"""Bytes of a file as text for an agent: whole when it is of a usual size, beginning and end when it is large."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from thoughtforge.kernel.model import Digest

WHOLE = 1024 * 1024
"""The largest file shown whole, in bytes."""
HEAD = 96 * 1024
TAIL = 32 * 1024
BINARY_LOOK = 8 * 1024
"""A NUL byte this early makes a file binary; git looks at as much."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class Gap(NamedTuple):
    """What was left out of a text: it comes after `after` lines, and line `resume` of the file follows it."""

    after: int
    resume: int


class FileText(NamedTuple):
    """A file as an agent may see it. `digest` is of all its bytes, `lines` counts all of them."""

    text: str
    digest: Digest
    bytes: int
    lines: int
    note: str = ""
    """What a reader must know: binary, not UTF-8, shortened, a link. Empty for a plain text."""
    gap: Gap | None = None

    def numbered(self) -> list[tuple[int | None, str]]:
        """Each line with its number in the file; the mark of a gap has none."""
        rows = self.text.removesuffix("\n").split("\n") if self.text else []
        return [(self._number(at), row.removesuffix("\r")) for at, row in enumerate(rows)]

    def _number(self, at: int) -> int | None:
        if self.gap is None or at < self.gap.after:
            return at + 1
        return None if at == self.gap.after else self.gap.resume + at - self.gap.after - 1


class Collected:
    """The bytes of a file as they arrive, without holding more than is shown."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.room = size if size <= WHOLE else HEAD
        self.head = bytearray()
        self.tail = b""
        self.newlines = 0
        self.hasher = hashlib.sha256()

    def add(self, chunk: bytes) -> None:
        """Take the next bytes."""
        self.hasher.update(chunk)
        self.newlines += chunk.count(b"\n")
        self.head += chunk[: self.room - len(self.head)]
        self.tail = (self.tail + chunk)[-TAIL:]

    @property
    def digest(self) -> Digest:
        """SHA-256 of everything taken so far."""
        return self.hasher.hexdigest()

    @property
    def lines(self) -> int:
        """How many lines there are; a last one without an end counts."""
        return self.newlines + (self.tail[-1:] not in (b"", b"\n"))


def as_text(file: Collected) -> FileText:
    """What an agent gets to read of a file's bytes."""
    head = bytes(file.head)
    if b"\0" in head[:BINARY_LOOK]:
        return FileText("", file.digest, file.size, 0, f"a binary file of {file.size:,} bytes, not shown")
    if file.size > WHOLE:
        return _shortened(file)
    text, note = _decoded(head)
    if head.startswith(LFS_POINTER):
        note = "a Git LFS pointer; the content itself is not in the repository"
    return FileText(text, file.digest, file.size, file.lines, note)


def _shortened(file: Collected) -> FileText:
    """Beginning and end, cut at line breaks where there are any."""
    head = bytes(file.head)
    head = head[: head.rfind(b"\n") + 1] or head
    tail = file.tail[file.tail.find(b"\n") + 1 :] or file.tail
    above, above_note = _decoded(head.removesuffix(b"\n"))
    below, below_note = _decoded(tail)
    mark = f"[… {file.size - len(head) - len(tail):,} bytes omitted …]"
    first_below = file.lines - len(below.removesuffix("\n").split("\n")) + 1
    note = f"a large file of {file.size:,} bytes: only its beginning and end are shown"
    parts = [note, above_note or below_note]
    return FileText(
        f"{above}\n{mark}\n{below}",
        file.digest,
        file.size,
        file.lines,
        "; ".join(part for part in parts if part),
        Gap(above.count("\n") + 1, first_below),
    )


def _decoded(raw: bytes) -> tuple[str, str]:
    """The text and, when some bytes were not UTF-8, a note about it."""
    try:
        return raw.decode("utf-8"), ""
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), "not UTF-8: undecodable bytes are shown as \ufffd"
