"""One runner per task, across processes: it holds the lease, and everyone else leaves messages in the inbox.

The lock file is never removed: that would admit a second holder.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import LeaseLost, TaskLocked, UserError

PATIENCE = 0.4
"""Seconds to wait for a reader that only looks who holds the lease."""


class LockFile(NamedTuple):
    """Which file it is, whatever path leads to it."""

    device: int
    number: int


def lock_file(folder: Path | str) -> LockFile | None:
    """The lock file a task's folder has now; None when there is none."""
    try:
        found = os.lstat(f"{folder}/lease")  # every event asks, and putting a Path together takes longer
    except (FileNotFoundError, NotADirectoryError):
        return None
    return LockFile(found.st_dev, found.st_ino)


def check(folder: Path | str, held: LockFile | None) -> None:
    """Raise LeaseLost when the folder leads to another lock file than the one that is held, or to none.

    The holder keeps its lock file open, so its number is never given to another file meanwhile.
    """
    if lock_file(folder) != held:
        task = Path(folder).name
        raise LeaseLost(
            f"this process no longer holds task {task}: another program replaced its folder or its lock file"
        )


@contextmanager
def lease(folder: Path, *, who: str) -> Iterator[None]:
    """Hold the task, or say who does. The kernel frees it when the process ends, however it ends."""
    _refuse_links(folder)
    fd = os.open(folder / "lease", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        _lock(fd, folder)
        if lock_file(folder) is not None:  # replaced while we waited: what we locked is nobody's lease
            check(folder, LockFile(os.fstat(fd).st_dev, os.fstat(fd).st_ino))
        name = json.dumps({"who": who, "pid": os.getpid()}).encode()
        os.pwrite(fd, name.ljust(os.fstat(fd).st_size), 0)  # one write: nobody reads half a name
        _note("%s takes the task %s", who, folder.name)
        yield
    finally:
        os.close(fd)


def _refuse_links(folder: Path) -> None:
    """We make no links in a task's folder; one that came with a repository would have us write somewhere else."""
    with os.scandir(folder) as entries:
        found = sorted(entry.path for entry in entries if entry.is_symlink())
    if folder.is_symlink():
        found = [str(folder)]
    if found:
        raise UserError(
            f"task {folder.name} has links in its folder that this program did not make: {', '.join(found)}",
            do="See where they lead and remove them, then try again.",
        )


def _note(message: str, *words: object) -> None:
    import logging  # here, since quick commands load this file and nothing heavy

    logging.getLogger(__name__).info(message, *words)


def _lock(fd: int, folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TaskLocked(folder.name, _name(fd)) from None
            time.sleep(0.02)
        else:
            return


def holder(folder: Path) -> str | None:
    """Who runs the task now, or None."""
    try:
        fd = os.open(folder / "lease", os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _name(fd)
    finally:
        os.close(fd)
    return None


def _name(fd: int) -> str:
    """Who holds the lease and since when: they wrote their name when they took it."""
    from datetime import UTC, datetime

    since = datetime.fromtimestamp(int(os.fstat(fd).st_mtime), UTC)
    try:
        data = json.loads(os.pread(fd, 4096, 0))
        return f"{data['who']} (process {data['pid']}) since {since:%Y-%m-%d %H:%M:%S} UTC"
    except (ValueError, KeyError, TypeError):
        return "another process"


class InboxMessage(NamedTuple):
    """One wish. `id` also goes into the event, so a crash between the two does no harm."""

    id: str
    kind: str
    data: dict[str, Any]
    by: str


class FileInbox:
    """The inbox of one task, as a folder of files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "inbox"

    def drop(self, kind: str, data: dict[str, Any], *, by: str, stamp: str) -> str:
        """Leave a message; it is whole or not there."""
        self.folder.mkdir(mode=0o700, exist_ok=True)
        name = f"{stamp.replace(':', '')}-{os.getpid()}-{os.urandom(3).hex()}"
        fresh = self.folder / f".{name}"
        fresh.write_text(json.dumps({"kind": kind, "data": data, "by": by}))
        fresh.replace(self.folder / f"{name}.json")
        _note("left a message %s: %s", kind, name)
        return name

    def waiting(self) -> list[InboxMessage]:
        """The messages in the order they came; only for the lease holder. What is no message is set aside."""
        if not self.folder.is_dir():
            return []
        found = []
        for path in sorted(self.folder.glob("[!.]*.json")):
            try:
                data = json.loads(path.read_bytes())
                found.append(InboxMessage(path.stem, str(data["kind"]), dict(data["data"]), str(data["by"])))
            except (ValueError, KeyError, TypeError):
                path.replace(path.with_suffix(".unreadable"))  # it must not stop the task for ever
        return found

    def done(self, message: InboxMessage) -> None:
        """Take a message away once it is on record."""
        (self.folder / f"{message.id}.json").unlink(missing_ok=True)
        _note("took the message %s: %s", message.kind, message.id)
