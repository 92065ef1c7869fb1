"""The log of one task as a file: append-only, one writer, O(1) an append."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.events import Event, Record
from thoughtforge.rooms import load_rooms
from thoughtforge.store.chain import (
    GENESIS,
    START,
    Head,
    Link,
    Position,
    check_head,
    head_bytes,
    links,
    read_head,
    seal,
)
from thoughtforge.store.hiding import without_secrets
from thoughtforge.store.lease import check, lock_file
from thoughtforge.store.reading import read_event
from thoughtforge.store.secrets import Masker

FILE = "events.jsonl"


def record_of(link: Link) -> Record:
    """The event a proved line holds."""
    data = {k: v for k, v in link.data.items() if k not in ("seq", "time", "prev", "hash")}
    return Record(link.seq, link.data["time"], read_event(data))


def read_records(folder: Path) -> Iterator[Record]:
    """Every complete event, for readers: they never repair and need no lease."""
    load_rooms()
    return (record_of(link) for link in links(folder / FILE))


class FileLog:
    """The writer. Make one only while holding the lease; `at` says where the log ends when that is proved already."""

    def __init__(self, folder: Path, *, masker: Masker, clock: Callable[[], str], at: Position | None = None) -> None:
        load_rooms()
        self.folder = folder
        self.path = folder / FILE
        self.masker = masker
        self.clock = clock
        self.torn = ""
        """Where an unfinished last line was put, when there was one."""
        self._lease = lock_file(folder)
        self.at = end_of(self.path) if at is None else at
        self._open()

    def _open(self) -> None:
        last = self.at.last
        check_head(self.folder, {last.seq - 1: self.at.before, last.seq: last.hash}, last.seq)
        self._fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._cut_unfinished()
        if last.seq and read_head(self.folder) != last:
            _write_head(self.folder, last)

    def _cut_unfinished(self) -> None:
        """A crash in the middle of a write leaves half a line: keep it aside, go on from the line before."""
        rest = os.pread(self._fd, os.fstat(self._fd).st_size - self.at.size, self.at.size)
        if rest:
            aside = _unused(self.folder, f"torn-{self.at.last.seq + 1}", ".part")
            aside.write_bytes(rest)
            os.ftruncate(self._fd, self.at.size)
            self.torn = aside.name

    def append(self, event: Event) -> Record:
        """Write one event and make it durable before anything depends on it: whole, or not at all."""
        self.check_lease()
        seq, time = self.at.last.seq + 1, self.clock()
        data = {"seq": seq, "time": time, "prev": self.at.last.hash, **without_secrets(event, self.masker)}
        line, digest = seal(data)
        try:
            self._write(line)
            _write_head(self.folder, Head(seq, digest))
        except OSError:
            # a full disk must leave neither half a line nor a line that head will never vouch for
            os.ftruncate(self._fd, self.at.size)
            raise
        self.at = Position(Head(seq, digest), self.at.last.hash, self.at.size + len(line))
        # the runner must hold what a later reader will see: what was masked or could not be written is read back
        return record_of(Link(seq, digest, json.loads(line), self.at.size))

    def check_lease(self) -> None:
        """Raise LeaseLost unless the task is still this writer's; ask right before an effect outside the record."""
        check(self.folder, self._lease)

    def _write(self, line: bytes) -> None:
        done = 0
        while done < len(line):
            done += os.write(self._fd, line[done:])
        os.fsync(self._fd)

    def read(self, after: int = 0) -> Iterator[Record]:
        """The events with a number above `after`."""
        return (record_of(link) for link in links(self.path) if link.seq > after)

    def close(self) -> None:
        """Let go of the file; what comes after is refused, not written elsewhere."""
        os.close(self._fd)
        self._fd = -1


def end_of(path: Path) -> Position:
    """Where the log ends, by proving all of it."""
    at = START
    for link in links(path):
        at = Position(Head(link.seq, link.hash), at.last.hash, link.end)
    return at


def _write_head(folder: Path, head: Head) -> None:
    fresh = folder / "head.new"
    fresh.write_bytes(head_bytes(head))
    fresh.replace(folder / "head")


def _unused(folder: Path, stem: str, ending: str) -> Path:
    """A path nothing has yet: what was set aside before stays."""
    names = (f"{stem}{ending}" if number == 1 else f"{stem}-{number}{ending}" for number in count(1))
    return next(folder / name for name in names if not (folder / name).exists())


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
    aside = _unused(folder, f"lost-{stamp.replace(':', '')}", ".jsonl")
    with path.open("a+b") as file:
        file.seek(size)
        aside.write_bytes(file.read())
        file.truncate(size)
        os.fsync(file.fileno())
    _write_head(folder, last)
    return last.seq, aside.name
