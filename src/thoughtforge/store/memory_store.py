"""One task in memory: the same lines, chain and masking as on disk."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from thoughtforge.kernel.errors import LeaseLost, LogCorrupt, TaskLocked, UserError
from thoughtforge.kernel.events import Event, Record
from thoughtforge.kernel.fold import STATE
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.state import Snapshot, State, empty
from thoughtforge.rooms import load_rooms
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.home import in_use, match, no_task
from thoughtforge.store.lease import InboxMessage
from thoughtforge.store.log import GENESIS, Link, chained, record_of, seal
from thoughtforge.store.port import NewTask, OpenTask
from thoughtforge.store.secrets import Masker, without_secrets
from thoughtforge.store.verify import Proof, blobs_in
from thoughtforge.store.viewfiles import ViewFiles
from thoughtforge.views.tasks import summary
from thoughtforge.views.values import as_data


class MemoryTask:
    """One task: its log, blobs, inbox and lease at once."""

    def __init__(self, task_id: str, *, masker: Masker, clock: Callable[[], str]) -> None:
        self.id = task_id
        self.masker = masker
        self.clock = clock
        self.lines: list[bytes] = []
        self.kept: dict[Digest, bytes] = {}
        self.messages: dict[str, InboxMessage] = {}
        self.held_by: str | None = None

    @contextmanager
    def lease(self, who: str) -> Iterator[None]:
        """Hold the task, or say who does."""
        if self.held_by is not None:
            raise TaskLocked(self.id, self.held_by)
        self.held_by = f"{who} (process {os.getpid()}) since {self.clock()[:19].replace('T', ' ')} UTC"
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

    def waiting(self) -> list[InboxMessage]:
        """The messages in the order they came."""
        return list(self.messages.values())

    def done(self, message: InboxMessage) -> None:
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


class MemoryStore:
    """Tasks that end with the process; `folder` is where their local folders go."""

    def __init__(
        self,
        folder: Path,
        *,
        masker: Callable[[], Masker],
        clock: Callable[[], str],
    ) -> None:
        self.folder = folder
        self.where = "memory"
        self.clock = clock
        self._make_masker = masker
        self._tasks: dict[str, MemoryTask] = {}
        self._numbers = count(1)

    @cached_property
    def masker(self) -> Masker:
        """What hides secrets; made when something is written."""
        return self._make_masker()

    def create(self, task_id: str, new: NewTask, *, who: str) -> None:
        """Keep a new task; it is in the list only when all of it is there."""
        load_rooms()
        if task_id in self._tasks:
            raise in_use(task_id)
        task = MemoryTask(task_id, masker=self.masker, clock=self.clock)
        with task.lease(who):
            for data in new.blobs.values():
                task.put(data)
            for event in new.events:
                task.append(event)
        self.local(task_id).mkdir(parents=True)
        for name, data in new.files.items():
            (self.local(task_id) / name).write_bytes(data)
        self._tasks[task_id] = task

    @contextmanager
    def open(self, task_id: str, *, who: str) -> Iterator[OpenTask]:
        """Hold the task."""
        load_rooms()
        task = self._known(task_id)
        local = self.local(task_id)
        with task.lease(who):
            shown = ViewFiles(local, task, self.masker)
            yield OpenTask(task_id, Journal(task), task, task, shown, local, held=task.check_lease)

    def peek(self, task_id: str) -> MemoryReader:
        """Look at the task; one that does not exist has no event."""
        load_rooms()
        return MemoryReader(self._tasks.get(task_id) or MemoryTask(task_id, masker=self.masker, clock=self.clock))

    def ids(self) -> list[str]:
        """Every task, oldest first."""
        return sorted(self._tasks)

    def find(self, word: str) -> str:
        """The task a person means."""
        return match(word, self.ids(), newest=lambda: [*self._tasks][-1], where=self.where)

    def summaries(self) -> list[dict[str, Any]]:
        """One summary per task."""
        return [as_data(summary(self.peek(task_id).state)) for task_id in self.ids()]

    def send(self, task_id: str, kind: str, data: dict[str, Any], *, by: str) -> str:
        """Leave a message in the inbox of a task."""
        task = self._known(task_id)
        hidden = {key: self.masker.tree(value) for key, value in data.items()}
        message = InboxMessage(f"message-{next(self._numbers)}", kind, json.loads(json.dumps(hidden)), by)
        task.messages[message.id] = message
        return message.id

    def remove(self, task: OpenTask) -> None:
        """Forget the task and its local folder."""
        del self._tasks[task.id]
        shutil.rmtree(task.local, ignore_errors=True)

    def sweep(self, *, who: str) -> None:
        """Nothing can be left half made here."""

    def accept_loss(self, task_id: str, *, who: str, by: str) -> None:
        """Cut the log where it stops holding together."""
        task, last = self._known(task_id), 0
        with task.lease(who):
            try:
                for link in task.links():
                    last = link.seq
            except LogCorrupt:
                pass  # everything from the broken line on is the loss
            if last == 0:
                raise UserError(f"the record of {task_id} has no valid event", do="Start a new task.")
            del task.lines[last:]
            task.append(LossAccepted(lost_after=last, kept_aside="", by=by))

    def verify(self, task_id: str) -> Proof:
        """Prove the chain and every blob."""
        task, events, damage = self._known(task_id), 0, []
        named: set[str] = set()
        try:
            for link in task.links():
                events, named = link.seq, named | set(blobs_in(link.data))
        except LogCorrupt as error:
            damage.append(str(error))
        for digest in sorted(named | set(task.kept)):
            try:
                task.get(digest)
            except LogCorrupt as error:
                damage.append(str(error))
        return Proof(events, len(task.kept), tuple(damage))

    def local(self, task_id: str) -> Path:
        """A folder of its own, on this machine's disk."""
        return self.folder / task_id

    def _known(self, task_id: str) -> MemoryTask:
        if task_id not in self._tasks:
            raise no_task(task_id)
        return self._tasks[task_id]
