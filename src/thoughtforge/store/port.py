"""What a store of tasks does, and the task it opens. Everyone receives a store; nobody makes one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pathlib import Path

    from thoughtforge.kernel.events import Event, Record
    from thoughtforge.kernel.loop import Journal
    from thoughtforge.kernel.model import Digest
    from thoughtforge.kernel.ports import Blobs
    from thoughtforge.kernel.state import Snapshot, State
    from thoughtforge.store.lease import InboxMessage
    from thoughtforge.store.secrets import Masker
    from thoughtforge.store.verify import Proof
    from thoughtforge.store.viewfiles import ViewFiles


class NewTask:
    """Blobs, events and files of a task to come. `Store.create` keeps all of it or nothing."""

    def __init__(self, masker: Masker) -> None:
        self.masker = masker
        self.blobs: dict[Digest, bytes] = {}
        self.events: list[Event] = []
        self.files: dict[str, bytes] = {}
        """Views that exist from the beginning, by name; they go to the task's local folder."""

    def put(self, text: str) -> Digest:
        """Keep a text, masked; its digest, for the events that name it."""
        data = self.masker.text(text.encode("utf-8", "replace").decode()).encode()
        digest = hashlib.sha256(data).hexdigest()
        self.blobs[digest] = data
        return digest


class Inbox(Protocol):
    """What people want of a task, until it is on record."""

    def waiting(self) -> list[InboxMessage]:
        """The messages in the order they came."""
        ...

    def done(self, message: InboxMessage) -> None:
        """Take a message away once it is on record; one that is gone already is no error."""
        ...


@dataclass(frozen=True)
class OpenTask:
    """A task while one process holds it."""

    id: str
    journal: Journal
    blobs: Blobs
    inbox: Inbox
    views: ViewFiles
    local: Path
    """This machine's folder of the task: workspace, live, views, scratch. It may be lost; the record is not there."""
    held: Callable[[], None]
    """Raises when the task is not held any more; call it before an effect outside the record."""
    torn: str = ""
    """Where the store put half an event that a crash left, when there was one."""


class Reader(Protocol):
    """A task for reading; any process may hold it."""

    @property
    def snapshot(self) -> Snapshot:
        """What the complete events add up to in every projection, as of the first look."""
        ...

    @property
    def state(self) -> State:
        """The state of the task in that snapshot."""
        ...

    @property
    def blobs(self) -> Blobs:
        """Its blobs; they are named by their content, so keeping one needs no lease."""
        ...

    def read(self, after: int = 0) -> Iterator[Record]:
        """The complete events with a number above `after`, as they are now."""
        ...

    def holder(self) -> str | None:
        """Who runs the task now."""
        ...


class Store(Protocol):
    """All tasks. Callers receive it; only the assembly makes one."""

    where: str
    """What a person calls the place."""

    def create(self, task_id: str, new: NewTask, *, who: str) -> None:
        """Keep a new task, whole or not at all; a UserError for an id that is in use."""
        ...

    def open(self, task_id: str, *, who: str) -> AbstractContextManager[OpenTask]:
        """Hold the task. Held when somebody else does, LogCorrupt when its record does not hold together."""
        ...

    def peek(self, task_id: str) -> Reader:
        """Look at the task without holding it."""
        ...

    def ids(self) -> list[str]:
        """Every task, oldest first."""
        ...

    def find(self, word: str) -> str:
        """The task a person means by an id, a unique beginning of one, or `last`."""
        ...

    def summaries(self) -> list[dict[str, Any]]:
        """One summary per task, oldest first; a damaged task has one too."""
        ...

    def send(self, task_id: str, kind: str, data: dict[str, Any], *, by: str) -> str:
        """Leave a message, masked and whole, in the inbox of a task; its id."""
        ...

    def remove(self, task: OpenTask) -> None:
        """Forget a task for good; only who holds it can."""
        ...

    def sweep(self, *, who: str) -> None:
        """Remove what a crash left of tasks that were being created or removed."""
        ...

    def accept_loss(self, task_id: str, *, who: str, by: str) -> None:
        """Go on with the longest part of the record that holds together; the rest is set aside, and that on record."""
        ...

    def verify(self, task_id: str) -> Proof:
        """Prove everything the record rests on from what is kept, never from memory."""
        ...

    def local(self, task_id: str) -> Path:
        """This machine's folder of the task."""
        ...
