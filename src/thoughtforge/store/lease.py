"""One runner per task, across processes. The lock file is never removed: that would admit a second holder."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from thoughtforge.kernel.errors import Held

PATIENCE = 0.4
"""Seconds to wait for a reader that only looks who holds the lease."""


@contextmanager
def lease(folder: Path, *, who: str) -> Iterator[None]:
    """Hold the task, or say who does. The kernel frees it when the process ends, however it ends."""
    fd = os.open(folder / "lease", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(fd, folder)
        name = json.dumps({"who": who, "pid": os.getpid()}).encode()
        os.pwrite(fd, name.ljust(os.fstat(fd).st_size), 0)  # one write: nobody reads half a name
        _note("%s takes the task %s", who, folder.name)
        yield
    finally:
        os.close(fd)


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
                raise Held(folder.name, _name(fd)) from None
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
    try:
        data = json.loads(os.pread(fd, 4096, 0))
        return f"{data['who']} (process {data['pid']})"
    except (ValueError, KeyError, TypeError):
        return "another process"
