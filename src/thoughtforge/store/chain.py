"""The hash chain, over the bytes of each line exactly as written; never over a model written out again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import LogCorrupt

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
        raise LogCorrupt(str(folder / "head"), 1, "not readable as seq and hash") from error
    if raw != head_bytes(head):
        raise LogCorrupt(str(folder / "head"), 1, "not as the writer leaves it")
    return head


def head_bytes(head: Head) -> bytes:
    """The exact content of `head`."""
    return json.dumps({"seq": head.seq, "hash": head.hash}).encode() + b"\n"


def check_head(folder: Path, seen: dict[int, str], last: int) -> None:
    """`head` may lag the log by one event and never lead it. `seen` holds the hashes of the newest lines."""
    head = read_head(folder)
    path = str(folder / "events.jsonl")
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
