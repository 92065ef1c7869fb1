"""Tasks in memory, by the rules of every store: for tests and trials in one process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from thoughtforge import views
from thoughtforge.kernel.errors import LogCorrupt, Mistake
from thoughtforge.kernel.loop import Journal
from thoughtforge.rooms import load_rooms
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.home import in_use, match, no_task
from thoughtforge.store.inbox import Message
from thoughtforge.store.memory_task import MemoryReader, MemoryTask
from thoughtforge.store.new_task import NewTask
from thoughtforge.store.port import OpenTask
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import Proof, blobs_in
from thoughtforge.store.viewfiles import ViewFiles


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
        return [views.summary(self.peek(task_id).state) for task_id in self.ids()]

    def send(self, task_id: str, kind: str, data: dict[str, Any], *, by: str) -> str:
        """Leave a message in the inbox of a task."""
        task = self._known(task_id)
        hidden = {key: self.masker.tree(value) for key, value in data.items()}
        message = Message(f"message-{next(self._numbers)}", kind, json.loads(json.dumps(hidden)), by)
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
                raise Mistake(f"nothing of the record of {task_id} holds together", do="Start a new task.")
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
