"""One task in memory: the same lines, chain and masking as on disk."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property

from thoughtforge.kernel.errors import Held, LeaseLost, LogCorrupt
from thoughtforge.kernel.events import Event, Record
from thoughtforge.kernel.fold import STATE
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.projection import Snapshot, empty
from thoughtforge.kernel.state import State
from thoughtforge.store.chain import GENESIS, Link, chained, seal
from thoughtforge.store.hiding import without_secrets
from thoughtforge.store.inbox import Message
from thoughtforge.store.log import record_of
from thoughtforge.store.secrets import Masker


class MemoryTask:
    """One task: its log, blobs, inbox and lease at once."""

    def __init__(self, task_id: str, *, masker: Masker, clock: Callable[[], str]) -> None:
        self.id = task_id
        self.masker = masker
        self.clock = clock
        self.lines: list[bytes] = []
        self.kept: dict[Digest, bytes] = {}
        self.messages: dict[str, Message] = {}
        self.held_by: str | None = None

    @contextmanager
    def lease(self, who: str) -> Iterator[None]:
        """Hold the task, or say who does."""
        if self.held_by is not None:
            raise Held(self.id, self.held_by)
        self.held_by = f"{who} (process {os.getpid()})"
        try:
            yield
        finally:
            self.held_by = None

    def check_lease(self) -> None:
        """Raise LeaseLost when nobody holds the task any more."""
        if self.held_by is None:
            raise LeaseLost(f"this process no longer holds task {self.id}")

    def links(self) -> Iterator[Link]:
        """Every line, proved."""
        return chained(tuple(self.lines), where=f"the log of {self.id}")

    def append(self, event: Event) -> Record:
        """Seal one more line; only while the task is held."""
        self.check_lease()
        last = json.loads(self.lines[-1])["hash"] if self.lines else GENESIS
        data = {"seq": len(self.lines) + 1, "time": self.clock(), "prev": last, **without_secrets(event, self.masker)}
        line, digest = seal(data)
        self.lines.append(line)
        return record_of(Link(len(self.lines), digest, json.loads(line), 0))

    def read(self, after: int = 0) -> Iterator[Record]:
        """The events with a number above `after`."""
        return (record_of(link) for link in self.links() if link.seq > after)

    def put(self, data: bytes, *, exact: bool = False) -> Digest:
        """Keep `data`; text is masked first."""
        if not exact:
            data = self.masker.text(data.decode("utf-8", "replace")).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.kept.setdefault(digest, data)
        return digest

    def get(self, digest: Digest) -> bytes:
        """The content; one that does not match its name is damage, never an answer."""
        data = self.kept.get(digest)
        if data is None:
            raise LogCorrupt(f"blob {digest} of {self.id}", 0, "missing")
        if hashlib.sha256(data).hexdigest() != digest:
            raise LogCorrupt(f"blob {digest} of {self.id}", 0, "the content does not match its name")
        return data

    def waiting(self) -> list[Message]:
        """The messages in the order they came."""
        return list(self.messages.values())

    def done(self, message: Message) -> None:
        """Take a message away once it is on record."""
        self.messages.pop(message.id, None)


class MemoryReader:
    """A look at a task."""

    def __init__(self, task: MemoryTask) -> None:
        self.blobs = task
        self.read = task.read
        self._task = task

    @cached_property
    def snapshot(self) -> Snapshot:
        """What the log adds up to, as of the first look."""
        return empty().after(self.read())

    @property
    def state(self) -> State:
        """The state of the task in that snapshot."""
        return self.snapshot.of(STATE)

    def holder(self) -> str | None:
        """Who runs the task now."""
        return self._task.held_by
