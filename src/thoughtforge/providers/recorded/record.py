"""The finished calls in a task's record, proved before any of them is used."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from thoughtforge.calls.events import CallEnded, CallStarted
from thoughtforge.calls.port import Reply
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import TaskCreated
from thoughtforge.kernel.model import Digest
from thoughtforge.kernel.ports import Blobs
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.log import FILE
from thoughtforge.store.replay import neutral
from thoughtforge.store.verify import verify


class Call(NamedTuple):
    """One finished call and what was answered."""

    digest: Digest
    """The key for replay."""
    step: int
    stage: str
    role: str
    parts: tuple[str, ...]
    """The parts of its context, by name."""
    text: str
    """System and context, less what differs from task to task."""
    reply: Reply


class Recording(NamedTuple):
    """What a task can replay."""

    task_id: str
    calls: tuple[Call, ...]


def load(folder: Path) -> Recording:
    """The calls of the task in `folder`, in order; a record that does not hold together is not replayed."""
    if not (folder / FILE).is_file():
        do = "Give `task` the id of a task of this home, or the path of a task's folder."
        raise Mistake(f"there is no recorded task at {folder}", do=do)
    damage = verify(folder).damage
    if damage:
        what = f"the record of {folder.name} is damaged, so it is not replayed"
        raise Mistake(what, do=f"See all of it: thoughtforge verify {folder.name}", details=damage)
    recording = _read(folder)
    if not recording.calls:
        do = "Name a task whose agents have answered; see: thoughtforge inspect TASK --steps"
        raise Mistake(f"task {folder.name} has no finished call to replay", do=do)
    return recording


def _read(folder: Path) -> Recording:
    task = read_folder(folder)
    task_id = folder.name
    started: dict[str, CallStarted] = {}
    calls: list[Call] = []
    for record in task.read():
        event = record.event
        if isinstance(event, TaskCreated):
            task_id = event.task.id
        elif isinstance(event, CallStarted):
            started[event.call] = event
        elif isinstance(event, CallEnded) and event.call in started:
            calls.append(_call(started[event.call], event, task.blobs, task_id=task_id))
    return Recording(task_id, tuple(calls))


def _call(begun: CallStarted, ended: CallEnded, blobs: Blobs, *, task_id: str) -> Call:
    system, context, reply = (_text(blobs, digest) for digest in (begun.system, begun.context, ended.reply))
    return Call(
        digest=begun.context_digest,
        step=begun.step,
        stage=begun.stage,
        role=begun.role,
        parts=tuple(begun.parts),
        text=neutral(f"{system}\0{context}", task_id),
        # what was paid then is not paid again
        reply=Reply(text=reply, model=ended.model, usage=ended.usage, usd=0.0),
    )


def _text(blobs: Blobs, digest: Digest) -> str:
    return blobs.get(digest).decode("utf-8", "replace")
