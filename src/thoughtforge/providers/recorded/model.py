"""A model that says what was said before."""

from __future__ import annotations

import re
from collections import Counter

from pydantic import Field

from thoughtforge.calls.errors import ProviderError
from thoughtforge.calls.port import Model, OnDelta, Reply, Reservation, Schema
from thoughtforge.kernel.model import Value
from thoughtforge.providers.recorded.difference import difference
from thoughtforge.providers.recorded.record import Recording, load
from thoughtforge.settings.machine import Machine
from thoughtforge.store.home import task_folder
from thoughtforge.store.replay import neutral, replay_digest

_TASK = re.compile(r"^id: (\S+)$", re.MULTILINE)
"""The first such line of a context is in its task frame."""


class Options(Value):
    """One entry of `providers:` with `kind: recorded`."""

    task: str = Field(min_length=1)
    """The task whose replies are replayed: its whole id, or the path of its folder."""
    home: str = ""
    """The home that has the task; empty is the home of this configuration."""
    model: str = Field(default="recorded", min_length=1)
    """The name that goes on record. Roles that had different models need an entry with a name of its own each."""


def make(options: Options, machine: Machine) -> Model:
    """The model of one configuration entry; relative paths start from `machine.base`."""
    by_id = "/" not in options.task
    folder = task_folder(machine.base / options.home, options.task) if by_id else machine.base / options.task
    return RecordedModel(options.model, load(folder))


class RecordedModel:
    """Answers from a record. It costs nothing, reports the tokens of then, and nothing leaves this machine."""

    def __init__(self, model: str, recording: Recording) -> None:
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
