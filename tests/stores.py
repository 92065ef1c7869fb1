"""Stores for tests: each kind made the way the assembly makes one, with a clock that counts."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

from thoughtforge.kernel.events import Event, TaskCreated
from thoughtforge.store.file_store import FileStore
from thoughtforge.store.home import Home
from thoughtforge.store.memory_store import MemoryStore
from thoughtforge.store.port import NewTask, Store
from thoughtforge.store.secrets import Masker
from unit.kernel.making import task

SECRET = "sesame-open-wide"
MASKER = Masker.of({"DOOR": SECRET})


def ticking() -> Callable[[], str]:
    """A clock that goes on by a second each time it is read."""
    seconds = count()
    return lambda: "2026-01-01T{:02}:{:02}:{:02}.000000+00:00".format(
        *((second := next(seconds)) // 3600, second // 60 % 60, second % 60)
    )


def file_store(folder: Path) -> FileStore:
    """Tasks in files."""
    return FileStore(Home(folder), masker=lambda: MASKER, clock=ticking())


def memory_store(folder: Path) -> MemoryStore:
    """Tasks in memory."""
    return MemoryStore(folder / "local", masker=lambda: MASKER, clock=ticking())


STORES: dict[str, Callable[[Path], Store]] = {"file": file_store, "memory": memory_store}


def begun(store: Store, task_id: str = "20260101-aaaa-one", *more: Event) -> str:
    """A task that exists, with these events after its first."""
    new = NewTask(MASKER)
    new.events += [TaskCreated(task=task(id=task_id), task_file="f"), *more]
    new.files["task.yaml"] = task_id.encode()
    store.create(task_id, new, who="ada")
    return task_id
