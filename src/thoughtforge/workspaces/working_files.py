"""Files in a folder held against what git has on record: byte by byte, links as links, nothing skipped.

`git status` would not do: it believes file times, leaves out what a .gitignore names and never looks at a `.git`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import IO, NamedTuple

from thoughtforge.workspaces.git import decode_path

SUBMODULE = "160000"
CHUNK = 1024 * 1024


class Recorded(NamedTuple):
    """What git has for a path. `content` is the SHA-256 of what stands in for a large file's pointer, else empty."""

    mode: str
    oid: str
    content: str = ""


def differences(folder: Path, recorded: Mapping[bytes, Recorded]) -> tuple[str, ...]:
    """Paths that differ in bytes, kind or presence; a folder nobody may look into ends with a /."""
    left = {path: entry for path, entry in recorded.items() if entry.mode != SUBMODULE}
    root = os.fsencode(folder) + b"/"
    differing = []
    for path, status in _files_below(root):
        entry = left.pop(path, None)
        if entry is None or status is None or not _equal(root + path, status, entry=entry):
            differing.append(path)
    return tuple(sorted(decode_path(path) for path in [*differing, *left]))


def remove_folder(folder: Path) -> None:
    """Take a folder away, also one in which somebody shut folders; links are removed, not followed."""
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    for here, names, _ in os.walk(folder):
        for below in (Path(here, name) for name in names):
            if not below.is_symlink():
                below.chmod(0o700)
    shutil.rmtree(folder)


def _files_below(root: bytes) -> Iterator[tuple[bytes, os.stat_result | None]]:
    """Everything below a folder that is not a folder itself, by its path from there."""
    waiting = [b""]
    while waiting:
        here = waiting.pop()
        try:
            with os.scandir(root + here) as listing:
                entries = list(listing)
        except PermissionError:
            yield here + b"/", None
            continue
        for entry in entries:
            path = here + b"/" + entry.name if here else entry.name
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            else:
                yield path, entry.stat(follow_symlinks=False)


def _equal(file: bytes, status: os.stat_result, *, entry: Recorded) -> bool:
    if stat.S_ISLNK(status.st_mode):
        target = os.readlink(file)  # noqa: PTH115 - a path in bytes
        return entry.mode == "120000" and _same_bytes(BytesIO(target), len(target), entry=entry)
    if not stat.S_ISREG(status.st_mode) or entry.mode not in ("100644", "100755"):
        return False
    if bool(status.st_mode & 0o100) != (entry.mode == "100755"):
        return False
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    with os.fdopen(descriptor, "rb") as opened:
        return _same_bytes(opened, status.st_size, entry=entry)


def _same_bytes(file: IO[bytes], size: int, *, entry: Recorded) -> bool:
    recorded, content = _object_id(size, like=entry.oid), hashlib.sha256()
    while chunk := file.read(CHUNK):
        recorded.update(chunk)
        if entry.content:
            content.update(chunk)
    return recorded.hexdigest() == entry.oid or content.hexdigest() == entry.content


def _object_id(size: int, *, like: str) -> hashlib._Hash:
    """The beginning of the id git gives to a file of this size, in the kind of id its repository uses."""
    make = hashlib.sha256 if len(like) == 64 else hashlib.sha1
    return make(b"blob %d\0" % size, usedforsecurity=False)
