"""A task's record written call by call, for tests of whatever reads one. The real log writes it."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import NamedTuple

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.calls.port import Reservation, Usage
from thoughtforge.store.file_task import FileBlobs
from thoughtforge.store.log import FileLog
from thoughtforge.store.secrets import Masker
from thoughtforge.store.verify import replay_digest

PARTS = {"system": 5, "task_frame": 5, "current_state": 5, "recent_actions": 5}


class Said(NamedTuple):
    """One call as it was made; a reply of None is a call that failed."""

    system: str
    context: str
    reply: str | None
    usage: Usage = Usage()
    stage: str = "analyze"


def record(folder: Path, *calls: Said) -> Path:
    """Write a record with these calls into `folder`."""
    folder.mkdir(parents=True)
    masker = Masker.of({})
    minutes = count()
    log = FileLog(folder, masker=masker, clock=lambda: f"2026-01-01T00:{next(minutes):02}:00.000000+00:00")
    blobs = FileBlobs(folder, masker=masker)
    for step, said in enumerate(calls, start=1):
        log.append(_started(folder.name, step, said, blobs))
        log.append(_ended(step, said, blobs))
    log.close()
    return folder


def _started(task_id: str, step: int, said: Said, blobs: FileBlobs) -> CallStarted:
    return CallStarted(
        call=f"C-{step}",
        key=f"{said.stage}/1/step-{step}",
        stage=said.stage,
        round=1,
        step=step,
        role="software_architect",
        role_version="1.0",
        provider="local",
        model="local-model",
        system=blobs.put(said.system.encode()),
        context=blobs.put(said.context.encode()),
        context_digest=replay_digest(said.system, said.context, task_id),
        context_tokens=20,
        parts=PARTS,
        reserved=Reservation(tokens=100, usd=1.0),
    )


def _ended(step: int, said: Said, blobs: FileBlobs) -> CallEnded | CallFailed:
    if said.reply is None:
        return CallFailed(call=f"C-{step}", kind="overloaded", error="too busy")
    return CallEnded(
        call=f"C-{step}",
        reply=blobs.put(said.reply.encode()),
        model="local-model-2",
        usage=said.usage,
        usd=0.5,
        reply_tokens=6,
        seconds=1.5,
    )
