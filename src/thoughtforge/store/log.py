"""The log of one task as a file: append-only, one writer, O(1) an append.

A line holds an event of any version and is chained to the line before it; `head` names the newest line the writer
vouched for.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from itertools import count
from operator import or_
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, ValidationError

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.kernel.events import KINDS, Event, Record, Unknown
from thoughtforge.rooms import load_rooms
from thoughtforge.store.lease import check, lock_file
from thoughtforge.store.secrets import Masker, without_secrets

FILE = "events.jsonl"

RAISE: dict[tuple[str, int], Callable[[dict[str, Any]], dict[str, Any]]] = {
    ("warning_given", 1): lambda data: {**data, "code": ""},
    ("action_taken", 1): lambda data: {**data, "tree": ""},
}
"""(type, version) → the same fact one version newer. Kept for ever: old logs must always load."""


def newest(kind: str) -> int:
    """The current version of an event type."""
    return int(KINDS[kind].model_fields["version"].default)


def union() -> TypeAdapter[Event]:
    """All events of all rooms as one tagged union, for schemas and documentation."""
    load_rooms()
    every: Any = reduce(or_, KINDS.values())
    return TypeAdapter(Annotated[every, Field(discriminator="type")])


def read_event(data: dict[str, Any]) -> Event | Unknown:
    """The event in `data`, raised to its newest version."""
    kind, version = str(data.get("type")), int(data.get("version", 1))
    while (kind, version) in RAISE:
        version += 1
        data = {**RAISE[kind, version - 1](data), "version": version}
    if kind not in KINDS or version != newest(kind):
        return Unknown(kind, version, data)
    try:
        return KINDS[kind].model_validate(data)
    except ValidationError:
        return Unknown(kind, version, data)


GENESIS = "0" * 64
_OPEN = b',"hash":"'
_CLOSE = b'"}'
_TAIL = len(_OPEN) + 64 + len(_CLOSE)


class Link(NamedTuple):
    """One line of a log that holds together with the line before it."""

    seq: int
    hash: str
    data: dict[str, Any]
    end: int
    """Offset in the file just after the line."""


class Head(NamedTuple):
    """The newest line the writer vouched for."""

    seq: int
    hash: str


class Position(NamedTuple):
    """Where a log ends, with what is needed to go on from there."""

    last: Head
    before: str
    """The hash of the line before the last: `head` may lag by one."""
    size: int
    """Offset just after the last complete line."""


START = Position(Head(0, GENESIS), GENESIS, 0)


def seal(data: dict[str, Any]) -> tuple[bytes, str]:
    """The line for `data` (which names `prev`) and its hash. Half a surrogate pair cannot be written: it becomes ?."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")[:-1]
    digest = _hash(str(data["prev"]), body)
    return body + _OPEN + digest.encode() + _CLOSE + b"\n", digest


def _hash(prev: str, body: bytes) -> str:
    return hashlib.sha256(prev.encode() + body).hexdigest()


def links(path: Path, *, after: Position = START) -> Iterator[Link]:
    """The complete lines of a file after a position, each proved against the one before."""
    if not path.exists():
        return
    with path.open("rb") as file:
        file.seek(after.size)
        yield from chained(file, where=str(path), after=after)


def chained(lines: Iterable[bytes], *, where: str, after: Position = START) -> Iterator[Link]:
    """The complete ones of these lines, each proved against the one before; an unfinished last line is left alone."""
    (seq, prev), offset = after.last, after.size
    for raw in lines:
        if not raw.endswith(b"\n"):
            return
        offset += len(raw)
        link = _prove(raw[:-1], where=where, seq=seq + 1, prev=prev, end=offset)
        seq, prev = link.seq, link.hash
        yield link


def _prove(raw: bytes, *, where: str, seq: int, prev: str, end: int) -> Link:
    body, tail = raw[:-_TAIL], raw[-_TAIL:]
    written = tail[len(_OPEN) : -len(_CLOSE)].decode("ascii", "replace")
    if not (tail.startswith(_OPEN) and tail.endswith(_CLOSE)) or _hash(prev, body) != written:
        raise LogCorrupt(where, seq, "the line does not match its hash or the line before it")
    data = json.loads(body + b"}")
    if data.get("seq") != seq or data.get("prev") != prev:
        raise LogCorrupt(where, seq, f"expected event {seq} after {prev[:12]}")
    return Link(seq, written, data, end)


def read_head(folder: Path) -> Head | None:
    """What `head` says, or None when there is none."""
    try:
        raw = (folder / "head").read_bytes()
    except FileNotFoundError:
        return None
    try:
        data = json.loads(raw)
        head = Head(int(data["seq"]), str(data["hash"]))
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise LogCorrupt(str(folder / "head"), 1, "cannot be parsed as seq and hash") from error
    if raw != head_bytes(head):
        raise LogCorrupt(str(folder / "head"), 1, "not in the form the writer uses")
    return head


def head_bytes(head: Head) -> bytes:
    """The exact content of `head`."""
    return json.dumps({"seq": head.seq, "hash": head.hash}).encode() + b"\n"


def check_head(folder: Path, seen: dict[int, str], last: int) -> None:
    """`head` may lag the log by one event and never lead it. `seen` holds the hashes of the newest lines."""
    head = read_head(folder)
    path = str(folder / FILE)
    if head is None:
        if last > 1:
            raise LogCorrupt(str(folder / "head"), 1, f"missing, though the log has {last} events")
        return
    if head.seq > last:
        raise LogCorrupt(path, last + 1, f"the log ends after event {last}, but head vouches for {head.seq}")
    if head.seq < last - 1:
        raise LogCorrupt(str(folder / "head"), 1, f"vouches for event {head.seq}, but the log has {last}")
    if seen.get(head.seq) != head.hash:
        raise LogCorrupt(str(folder / "head"), 1, f"names another event {head.seq} than the log")


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
        self._place = str(folder)
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
            _write_head(str(self.folder), last)

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
            _write_all(self._fd, line)
            os.fsync(self._fd)
            _write_head(self._place, Head(seq, digest))
        except OSError:
            # a full disk must leave neither half a line nor a line that head will never vouch for
            os.ftruncate(self._fd, self.at.size)
            raise
        self.at = Position(Head(seq, digest), self.at.last.hash, self.at.size + len(line))
        # the runner must hold what a later reader will see: what was masked or could not be written is read back
        return record_of(Link(seq, digest, json.loads(line), self.at.size))

    def check_lease(self) -> None:
        """Raise LeaseLost unless the task is still this writer's; ask right before an effect outside the record."""
        check(self._place, self._lease)

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


def _write_all(fd: int, data: bytes) -> None:
    done = 0
    while done < len(data):
        done += os.write(fd, data[done:])


def _write_head(folder: str, head: Head) -> None:
    """Replace the head in one move. Every event does this, so no path is put together but by adding texts."""
    fd = os.open(f"{folder}/head.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        _write_all(fd, head_bytes(head))
    finally:
        os.close(fd)
    os.replace(f"{folder}/head.new", f"{folder}/head")  # noqa: PTH105 - see above


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
    _write_head(str(folder), last)
    return last.seq, aside.name
