"""The proof of a record: its chain, its head and every blob; and the key by which a call is replayed."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import LogCorrupt
from thoughtforge.store.log import FILE, check_head, links

_VARYING = (
    # follows from the text between the marks
    ("data ", re.compile(r"^(</?data )[0-9a-f]{8}", re.MULTILINE), r"\1MARK"),
    # a call that had to be made twice moves the numbers
    ("- step ", re.compile(r"^- step \d+ ", re.MULTILINE), "- step N "),
    ("resolved_at: ", re.compile(r"^(\s*resolved_at:) .*$", re.MULTILINE), r"\1 TIME"),
)
"""What must be there, what it looks like, what stands for it."""


def neutral(text: str, task_id: str) -> str:
    """`text` without the task's id, step numbers, times of answers and marks of data."""
    if task_id:
        text = text.replace(task_id, "TASK")
    for trigger, pattern, instead in _VARYING:
        if trigger in text:
            text = pattern.sub(instead, text)
    return text


def replay_digest(system: str, context: str, task_id: str) -> str:
    """The same for the same step of another task with the same request."""
    return hashlib.sha256(neutral(f"{system}\0{context}", task_id).encode("utf-8", "replace")).hexdigest()


_DIGEST = re.compile(r"[0-9a-f]{64}")
_NAMES_BLOB = re.compile("after|artifact|context|digest|draft|inputs|output|raw|reply|request_digest|review|system")
"""Fields that name a blob. Others may hold a digest of something kept elsewhere, or a text that looks like one."""
_FREE = frozenset({"answers", "measured", "params", "parts", "prompts", "providers", "sources"})
"""Tables whose keys are not ours."""


class Proof(NamedTuple):
    """What was looked at and what is wrong with it."""

    events: int
    blobs: int
    damage: tuple[str, ...]


def verify(folder: Path) -> Proof:
    """Look at everything the record rests on."""
    damage: list[str] = []
    named: set[str] = set()
    seen: dict[int, str] = {}
    last = 0
    end = 0
    try:
        for link in links(folder / FILE):
            last, end = link.seq, link.end
            seen[last] = link.hash
            seen.pop(last - 2, None)
            named |= set(blobs_in(link.data))
            if "task_file" in link.data:
                damage += _task_file(folder, link.data["task_file"])
        damage += _unfinished(folder, end, last)
        check_head(folder, seen, last)
    except LogCorrupt as error:
        damage.append(str(error))
    if last == 0 and not damage:
        damage.append(f"{folder / FILE}, line 1: there is no event")
    blobs = _check_blobs(folder / "blobs", named)
    return Proof(last, len(blobs.found), tuple(damage) + blobs.damage)


def _unfinished(folder: Path, end: int, last: int) -> list[str]:
    rest = (folder / FILE).stat().st_size - end if (folder / FILE).exists() else 0
    return [f"{folder / FILE}, line {last + 1}: {rest} bytes of an unfinished line"] if rest else []


def _task_file(folder: Path, digest: str) -> list[str]:
    path = folder / "task.yaml"
    same = path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == digest
    return [] if same else [f"{path}: missing or changed since the task was created"]


def blobs_in(data: Any, key: str = "") -> list[str]:
    """Every digest in an event that names a blob."""
    if isinstance(data, str):
        return [data] if _NAMES_BLOB.fullmatch(key) and _DIGEST.fullmatch(data) else []
    if isinstance(data, dict) and key not in _FREE:
        return [digest for name, value in data.items() for digest in blobs_in(value, name)]
    if isinstance(data, list):
        return [digest for value in data for digest in blobs_in(value, key)]
    return []


class _Blobs(NamedTuple):
    found: frozenset[str]
    damage: tuple[str, ...]


def _check_blobs(folder: Path, named: set[str]) -> _Blobs:
    found: set[str] = set()
    damage: list[str] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not _DIGEST.fullmatch(path.name):
            continue  # a half-written one of a crash; nothing names it
        found.add(path.name)
        if hashlib.sha256(path.read_bytes()).hexdigest() != path.name:
            damage.append(f"{path}: the content does not match its name")
    damage += [f"{folder / name}: missing" for name in sorted(named - found)]
    return _Blobs(frozenset(found), tuple(damage))
