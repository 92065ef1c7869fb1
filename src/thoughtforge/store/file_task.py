"""One task as files: its blobs, durable before the event that names them, its log, and how readers see it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.events import Record
from thoughtforge.kernel.fold import STATE
from thoughtforge.kernel.state import PROJECTIONS, Snapshot, State, empty
from thoughtforge.store.lease import holder
from thoughtforge.store.log import FILE, START, FileLog, Head, Position, links, read_records, record_of
from thoughtforge.store.port import NewTask
from thoughtforge.store.secrets import Masker


class FileBlobs:
    """The blobs of one task."""

    def __init__(self, folder: Path, *, masker: Masker) -> None:
        self.folder = folder / "blobs"
        self.masker = masker

    def put(self, data: bytes, *, exact: bool = False) -> str:
        """Keep `data`; text is masked first. `exact` is for file contents and patches, which stay as they are."""
        if not exact:
            data = self.masker.text(data.decode("utf-8", "replace")).encode()
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / digest
        if not path.exists():
            self._write(path, data)
        return digest

    def _write(self, path: Path, data: bytes) -> None:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = path.with_suffix(f".{os.getpid()}")
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            fresh.unlink()  # on a full disk half a blob only takes room
            raise
        fresh.replace(path)
        folder = os.open(self.folder, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)

    def get(self, digest: str) -> bytes:
        """The content; one that does not match its name is damage, never an answer."""
        path = self.folder / digest
        try:
            data = path.read_bytes()
        except FileNotFoundError as error:
            raise LogCorrupt(str(path), 0, "missing") from error
        if hashlib.sha256(data).hexdigest() != digest:
            raise LogCorrupt(str(path), 0, "the content does not match its name")
        return data


class Stamp(NamedTuple):
    """The file system's facts about a log; when they look odd, the log is verified again."""

    device: int = 0
    inode: int = 0
    size: int = 0
    changed: int = 0


class KnownLog(NamedTuple):
    """A log as this process has proved it."""

    stamp: Stamp
    at: Position
    snapshot: Snapshot
    whole: bool = True
    """Whether all of it was proved as this stamp has it; a look that read only what is new takes the rest as it was."""


def stamp_of(folder: Path) -> Stamp:
    """The stamp of a task's log; all zero when there is none."""
    try:
        found = (folder / FILE).stat()
    except FileNotFoundError:
        return Stamp()
    # not the time of the last write: whoever changes a file can set that one, and nobody can set this one
    return Stamp(found.st_dev, found.st_ino, found.st_size, found.st_ctime_ns)


def newest(folder: Path, known: KnownLog | None) -> KnownLog:
    """What the log adds up to now. Whatever does not simply continue what is known is read from the beginning."""
    stamp = stamp_of(folder)
    if known is None or not _continues(known, stamp):
        return _read(folder, stamp, START, empty())
    if stamp == known.stamp:
        return known
    try:
        return _read(folder, stamp, known.at, known.snapshot)
    except LogCorrupt:
        return _read(folder, stamp, START, empty())


def state_of(folder: Path) -> State:
    """The state of a task and nothing else that its log adds up to."""
    return _read(folder, stamp_of(folder), START, empty(STATE)).snapshot.of(STATE)


def _continues(known: KnownLog, stamp: Stamp) -> bool:
    same = stamp[:2] == known.stamp[:2] and len(known.snapshot.values) == len(PROJECTIONS)
    rewritten = stamp.size == known.stamp.size and stamp.changed != known.stamp.changed
    return same and stamp.size >= known.at.size and not rewritten


def _read(folder: Path, stamp: Stamp, at: Position, snapshot: Snapshot) -> KnownLog:
    ends = [at]

    def records() -> Iterator[Record]:
        for link in links(folder / FILE, after=at):
            ends.append(Position(Head(link.seq, link.hash), ends.pop().last.hash, link.end))
            yield record_of(link)

    after = snapshot.after(records())
    return KnownLog(stamp, ends[-1], after, whole=at == START)


def write_new(folder: Path, new: NewTask, *, masker: Masker, clock: Callable[[], str]) -> None:
    """Write a new task into an empty folder."""
    blobs = FileBlobs(folder, masker=masker)
    for data in new.blobs.values():
        blobs.put(data)
    for name, data in new.files.items():
        (folder / name).write_bytes(data)
    log = FileLog(folder, masker=masker, clock=clock)
    try:
        for event in new.events:
            log.append(event)
    finally:
        log.close()


class Opening(NamedTuple):
    """A log ready to be written, and what it adds up to."""

    log: FileLog
    snapshot: Snapshot


def open_log(folder: Path, known: KnownLog | None, *, masker: Masker, clock: Callable[[], str]) -> Opening:
    """Open the log where it ends; only while holding the lease.

    What another process wrote to since we looked is proved from the beginning: nobody goes on from a damaged record.
    """
    if known is not None and not (known.whole and known.stamp == stamp_of(folder)):
        known = None
    now = newest(folder, known)
    try:
        return Opening(FileLog(folder, masker=masker, clock=clock, at=now.at), now.snapshot)
    except LogCorrupt:
        if known is None:
            raise
    now = newest(folder, None)  # what this process remembers does not fit `head`: the disk decides
    return Opening(FileLog(folder, masker=masker, clock=clock, at=now.at), now.snapshot)


class FileReader:
    """A task's folder, looked at without the lease."""

    def __init__(self, folder: Path, *, look: Callable[[], KnownLog], masker: Callable[[], Masker]) -> None:
        self.folder = folder
        self._look = look
        self._masker = masker

    @cached_property
    def snapshot(self) -> Snapshot:
        """What the log adds up to, as of the first look."""
        return self._look().snapshot

    @property
    def state(self) -> State:
        """The state of the task in that snapshot."""
        return self.snapshot.of(STATE)

    @cached_property
    def blobs(self) -> FileBlobs:
        """Its blobs."""
        return FileBlobs(self.folder, masker=self._masker())

    def read(self, after: int = 0) -> Iterator[Record]:
        """The complete events with a number above `after`, as they are now."""
        return (record for record in read_records(self.folder) if record.seq > after)

    def holder(self) -> str | None:
        """Who runs the task now."""
        return holder(self.folder)


def read_folder(folder: Path) -> FileReader:
    """A task's folder that belongs to no store of this process, such as a copy."""
    return FileReader(folder, look=lambda: newest(folder, None), masker=lambda: Masker.of({}))
