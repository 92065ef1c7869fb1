"""Replays the replies in a task's record: the same request on the same commit, without any model.

A call is found by its text, less what differs from task to task (`store/verify.py`). A call that is not in the record
fails and says which step differs from the recorded one, in which part, and how.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from thoughtforge.calls.events import CallEnded, CallStarted
from thoughtforge.calls.port import Capabilities, Model, OnDelta, ProviderError, Reply, Reservation, Schema
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import TaskCreated
from thoughtforge.kernel.model import Digest, Value
from thoughtforge.kernel.ports import Blobs
from thoughtforge.settings.environment import Machine
from thoughtforge.store.file_task import read_folder
from thoughtforge.store.home import task_folder
from thoughtforge.store.log import FILE
from thoughtforge.store.verify import neutral, replay_digest, verify

_STAGE = re.compile(r"^stage: (.+)$", re.MULTILINE)
_SHOWN = 120
_BEFORE = 40
"""Characters of a long line shown before the place where it differs."""


def difference(recording: Recording, text: str) -> str:
    """How the call with this text differs from the recorded call that agrees with it longest."""
    found = _STAGE.search(text.partition("\0")[2])
    stage = found[1] if found else ""
    same_stage = [call for call in recording.calls if call.stage == stage]
    if stage and not same_stage:
        return f"task {recording.task_id} has no finished call at stage {stage}"
    new = _lines(text)
    call = max(same_stage or recording.calls, key=lambda each: _agreement(_lines(each.text), new))
    old = _lines(call.text)
    place = _agreement(old, new)
    return (
        f"step {call.step} of task {recording.task_id} ({call.stage}, {call.role}) differs in "
        f"{_part(new[:place], call.parts)}: {_both(old[place : place + 1], new[place : place + 1])}"
    )


def _lines(text: str) -> list[str]:
    return text.replace("\0", "\n").split("\n")


def _agreement(old: Sequence[str], new: Sequence[str]) -> int:
    """How many lines, or characters of a line, are the same from the beginning."""
    pairs = zip(old, new, strict=False)
    return next((at for at, (was, now) in enumerate(pairs) if was != now), min(len(old), len(new)))


def _part(before: Sequence[str], parts: Sequence[str]) -> str:
    """The part, and within it the block, that the line after these belongs to."""
    headings = {f"## {name}": name for name in parts}
    part = block = ""
    for line in before:
        if line in headings:
            part, block = headings[line], ""
        elif part and line.startswith("### "):
            block = f" (“{line.removeprefix('### ')}”)"
    return f"{part or 'system'}{block}"


def _both(old: Sequence[str], new: Sequence[str]) -> str:
    was, now = old[0] if old else None, new[0] if new else None
    start = max(0, _agreement(was or "", now or "") - _BEFORE)
    return f"recorded {_shown(was, start)}, now {_shown(now, start)}"


def _shown(line: str | None, start: int) -> str:
    if line is None:
        return "nothing more"
    start = start if len(line) > _SHOWN else 0
    cut = line[start : start + _SHOWN]
    return f"“{'…' * (start > 0)}{cut}{'…' * (start + _SHOWN < len(line))}”"


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
        raise UserError(f"there is no recorded task at {folder}", do=do)
    damage = verify(folder).damage
    if damage:
        what = f"the record of {folder.name} is damaged, so it cannot be replayed"
        raise UserError(what, do=f"See the damage: thoughtforge verify {folder.name}", details=damage)
    recording = _read(folder)
    if not recording.calls:
        do = "Name a task with finished calls; list its steps: thoughtforge inspect TASK --steps"
        raise UserError(f"task {folder.name} has no finished call to replay", do=do)
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


_TASK = re.compile(r"^id: (\S+)$", re.MULTILINE)
"""The first such line of a context is in its task frame."""


class Options(Value):
    """One entry of `providers:` with `kind: recorded`."""

    task: str = Field(min_length=1)
    """The task to replay: its full id, or the path of its folder."""
    home: str = ""
    """The home folder that has the task; empty means the home of this configuration."""
    model: str = Field(default="recorded", min_length=1)
    """The model's name in the record. Roles that had different models need one entry each, with its own name."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; relative paths start from `machine.base`."""
    by_id = "/" not in options.task
    folder = task_folder(machine.base / options.home, options.task) if by_id else machine.base / options.task
    return RecordedModel(options.model, load(folder))


class RecordedModel:
    """Answers from a record. It costs nothing, reports the tokens of then, and nothing leaves this machine."""

    def __init__(self, model: str, recording: Recording) -> None:
        self.capabilities = Capabilities()
        self.offsite = False
        self.label = "recorded"
        self.model = model
        self.recording = recording
        self._asked: Counter[str] = Counter()

    def reserve(self, system: str, context: str, max_output: int, schema: Schema = None) -> Reservation:
        """The most a call can use: the bytes of the text, or the most any recorded call reports."""
        usages = [call.reply.usage for call in self.recording.calls]
        recorded = max((usage.input_tokens or 0) + (usage.output_tokens or 0) for usage in usages)
        return Reservation(tokens=max(len((system + context).encode()) + max_output, recorded), usd=0.0)

    async def complete(
        self, system: str, context: str, schema: Schema = None, *, max_output: int, on_delta: OnDelta | None = None
    ) -> Reply:
        """The recorded reply to the same text; equal calls get their replies in order, the last one again and again."""
        task = _TASK.search(context)
        task_id = task[1] if task else ""
        digest = replay_digest(system, context, task_id)
        replies = [call.reply for call in self.recording.calls if call.digest == digest]
        if not replies:
            what = difference(self.recording, neutral(f"{system}\0{context}", task_id))
            do = "A replay needs the same request, commit, configuration and version; else use another provider."
            raise ProviderError("differs", f"{what}.", do=do)
        reply = replies[min(self._asked[digest], len(replies) - 1)]
        self._asked[digest] += 1
        if on_delta is not None:
            on_delta(reply.text)
        return reply
