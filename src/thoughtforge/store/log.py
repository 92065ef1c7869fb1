"""The log of one task as a file: append-only, one writer, O(1) an append."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.events import Event, Record, read_event
from thoughtforge.store.chain import GENESIS, Head, Link, check_head, head_bytes, links, seal
from thoughtforge.store.secrets import Masker

FILE = "events.jsonl"


def record_of(link: Link) -> Record:
    """The event a proved line holds."""
    data = {k: v for k, v in link.data.items() if k not in ("seq", "time", "prev")}
    return Record(link.seq, link.data["time"], read_event(data))


def read_records(folder: Path) -> Iterator[Record]:
    """Every complete event, for readers: they never repair and need no lease."""
    return (record_of(link) for link in links(folder / FILE))


class FileLog:
    """The writer. Make one only while holding the lease."""

    def __init__(self, folder: Path, *, masker: Masker, clock: Callable[[], str]) -> None:
        self.folder = folder
        self.path = folder / FILE
        self.masker = masker
        self.clock = clock
        self.torn = ""
        """Where an unfinished last line was put, when there was one."""
        self._last = Head(0, GENESIS)
        self._size = 0
        self._open()

    def _open(self) -> None:
        before = GENESIS
        for link in links(self.path):
            before, self._last, self._size = self._last.hash, Head(link.seq, link.hash), link.end
        check_head(self.folder, {self._last.seq - 1: before, self._last.seq: self._last.hash}, self._last.seq)
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._cut_unfinished()
        self._write_head()

    def _cut_unfinished(self) -> None:
        """A crash in the middle of a write leaves half a line: keep it aside, go on from the line before."""
        rest = os.pread(self._fd, os.fstat(self._fd).st_size - self._size, self._size)
        if rest:
            aside = self.folder / f"torn-{self._last.seq + 1}.part"
            aside.write_bytes(rest)
            os.ftruncate(self._fd, self._size)
            self.torn = aside.name

    def append(self, event: Event) -> Record:
        """Write one event and make it durable before anything depends on it."""
        seq, time = self._last.seq + 1, self.clock()
        fields = event.model_dump(mode="json")
        masked: dict[str, Any] = self.masker.tree(fields)
        line, digest = seal({"seq": seq, "time": time, "prev": self._last.hash, **masked})
        self._write(line)
        self._last = Head(seq, digest)
        self._size += len(line)
        self._write_head()
        # the runner must hold what a later reader will see, so what was masked is read back
        return Record(seq, time, event if masked == fields else read_event(masked))

    def _write(self, line: bytes) -> None:
        try:
            done = 0
            while done < len(line):
                done += os.write(self._fd, line[done:])
            os.fsync(self._fd)
        except OSError:
            os.ftruncate(self._fd, self._size)  # half a line must not stay when the disk is full
            raise

    def _write_head(self) -> None:
        if self._last.seq == 0:
            return
        fresh = self.folder / "head.new"
        fresh.write_bytes(head_bytes(self._last))
        fresh.replace(self.folder / "head")

    def read(self, after: int = 0) -> Iterator[Record]:
        """The events with a number above `after`."""
        return (record_of(link) for link in links(self.path) if link.seq > after)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def accept_loss(folder: Path, *, stamp: str) -> tuple[int, str]:
    """Keep the longest part that holds together, move the rest aside; the last kept number and where the rest is."""
    path = folder / FILE
    last = Head(0, GENESIS)
    size = 0
    try:
        for link in links(path):
            last, size = Head(link.seq, link.hash), link.end
    except LogCorrupt:
        pass  # everything from the broken line on is the loss
    raw = path.read_bytes()
    aside = folder / f"lost-{stamp.replace(':', '')}.jsonl"
    aside.write_bytes(raw[size:])
    with path.open("r+b") as file:
        file.truncate(size)
        os.fsync(file.fileno())
    (folder / "head").write_bytes(head_bytes(last))
    return last.seq, aside.name
