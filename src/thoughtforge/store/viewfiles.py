"""Files for people beside the record: views, the operations log and the live reply. None is ever read back."""

from __future__ import annotations

import json
import logging
import os
import time
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.kernel import events as e
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.secrets import Masker
from thoughtforge.views.tasks import details
from thoughtforge.views.values import as_data
from thoughtforge.views.yaml_text import to_yaml


def write_whole(path: Path, data: bytes) -> None:
    """Replace `path`, its folder made if need be; on any failure the old file stays as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    try:
        with fresh.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


LIVE_SECONDS = 0.1
TAIL = 80
"""Characters held back at least, so that a secret that arrives in pieces is masked whole."""


class Live:
    """The `live` file of one task."""

    def __init__(self, folder: Path, masker: Masker) -> None:
        self.path = folder / "live"
        self.masker = masker
        self.held_back = max(TAIL, *map(len, masker.forms), 0)
        self.text = ""
        self._written = 0.0

    def show(self, piece: str | None) -> None:
        """Add a piece; None begins a new reply."""
        self.text = "" if piece is None else self.text + piece
        now = time.monotonic()
        if piece is not None and now - self._written < LIVE_SECONDS:
            return
        self._written = now
        shown = self.masker.text(self.text)[: -self.held_back]
        self.path.write_text(shown, encoding="utf-8", errors="replace")


FILE = "thoughtforge.log"
MOST_BYTES = 5_000_000
OLD_FILES = 3
"""How many full files are kept, as thoughtforge.log.1 and so on."""
DETAIL_LENGTH = 500

Level = Literal["info", "warn", "error"]
Kind = Literal[
    "phase_transition",
    "agent_call",
    "agent_response",
    "guard_evaluation",
    "halt",
    "error",
    "config_loaded",
    "plugin_loaded",
]


class LogLine(NamedTuple):
    """What an event is to somebody looking for a fault."""

    event: Kind
    detail: str
    level: Level = "info"


class OperationsLog:
    """A listener of one task's log; `phase` names where the task is, where it says nothing its stage does."""

    def __init__(
        self,
        folder: Path,
        masker: Masker,
        *,
        phase: Callable[[State], str] | None = None,
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self.masker = masker
        self.phase = phase
        self._stage = ""
        self._providers: set[str] = set()
        path = folder / FILE
        self._file = _Quiet(path, maxBytes=most_bytes, backupCount=OLD_FILES, encoding="utf-8", delay=True)

    def __call__(self, record: e.Record, state: State) -> None:
        """Take note of one event."""
        event = record.event
        self._stage = str(getattr(event, "stage", "") or self._stage)
        for line in self._lines(event):
            row = {
                "timestamp": record.time,
                "level": line.level,
                "event": line.event,
                "phase": (self.phase(state) if self.phase else "") or self._stage,
                "detail": self.masker.text(" ".join(line.detail.split()))[:DETAIL_LENGTH],
            }
            text = json.dumps(row, ensure_ascii=False)
            self._file.emit(logging.LogRecord("", logging.INFO, "", 0, text, None, None))

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _lines(self, event: e.Event | e.Unknown) -> list[LogLine]:
        lines: list[LogLine] = []
        if isinstance(event, CallStarted) and event.provider not in self._providers:
            self._providers.add(event.provider)
            lines.append(LogLine("plugin_loaded", f"provider {event.provider}, model {event.model}"))
        line = line_of(event)
        return [*lines, line] if line else lines


class _Quiet(RotatingFileHandler):
    """The event log reports a full disk and stops the task; this file ignores it."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        """Say nothing."""


def line_of(event: e.Event | e.Unknown) -> LogLine | None:
    """What to note of an event; nothing for those that say nothing about the engine's doing."""
    make = LINES.get(type(event))
    return make(event) if make else None


def _stopped(event: e.RunnerStopped) -> LogLine:
    words = f"{event.reason}: {event.detail}" if event.detail else str(event.reason)
    if event.reason is StopReason.done:
        return LogLine("phase_transition", words)
    halted = STOPS[event.reason].status is TaskStatus.halted
    return LogLine("halt", words, "error" if halted else "warn")


def _judged(event: e.GateDecided) -> LogLine:
    problems = "; ".join(f"{one.where}: {one.what}" for one in event.verdict.problems)
    words = f"gate after {event.stage}, round {event.round}: {event.verdict.outcome} {problems}"
    return LogLine("guard_evaluation", words, "info" if event.verdict.outcome == "pass" else "warn")


def _reviewed(event: e.ReviewGiven) -> LogLine:
    words = f"review of {event.stage} by {event.reviewer}, iteration {event.iteration}"
    return LogLine("guard_evaluation", f"{words}: {len(event.blocking)} blocking, {len(event.advisory)} advisory")


def _measured(event: e.Measured) -> LogLine:
    level: Level = "info" if event.outcome == "pass" else "warn"
    return LogLine("guard_evaluation", f"{event.what}: {event.outcome}: {event.summary}", level)


LINES: dict[type, Callable[[Any], LogLine]] = {
    e.RunnerStarted: lambda v: LogLine("config_loaded", f"{v.program}, process {v.pid} on {v.host}"),
    e.RunnerStopped: _stopped,
    e.TaskCreated: lambda v: LogLine("phase_transition", f"created with the goal {v.task.goal}"),
    e.StageStarted: lambda v: LogLine("phase_transition", f"{v.stage} begins, round {v.round}, by {v.role}"),
    e.StageSkipped: lambda v: LogLine("phase_transition", f"{v.stage} skipped: {v.reason}"),
    e.StagePassed: lambda v: LogLine("phase_transition", f"{v.stage} passed"),
    e.PipelineExited: lambda v: LogLine("phase_transition", f"ended after {v.stage} with {v.deliverable}"),
    CallStarted: lambda v: LogLine(
        "agent_call", f"{v.mode} call to {v.provider}, {v.stage}, round {v.round}, step {v.step}"
    ),
    CallEnded: lambda v: LogLine("agent_response", f"{v.model} answered in {v.seconds:.1f} s"),
    CallFailed: lambda v: LogLine("error", f"the call failed ({v.kind}): {v.error}", "error"),
    e.GateDecided: _judged,
    e.ReviewGiven: _reviewed,
    e.Measured: _measured,
    e.EscalationRaised: lambda v: LogLine("halt", f"{v.escalation.id} asks a person: {v.escalation.summary}", "warn"),
    e.WarningGiven: lambda v: LogLine("error", v.text, "warn"),
    LossAccepted: lambda v: LogLine("error", f"what came after event {v.lost_after} is lost", "warn"),
}
"""Event → what is noted of it. A kind of event that is not here is not noted."""


EVERY_SECONDS = 1.0
More = Callable[[State], dict[str, str]]
"""Further views of a kind of task, by file name; they come last and may take the place of one above."""


class ViewFiles:
    """The views of one task."""

    def __init__(self, folder: Path, blobs: Blobs, masker: Masker, *, more: More | None = None) -> None:
        self.folder = folder
        self.more = more
        self.blobs = blobs
        self.masker = masker
        self._written = 0.0

    def maybe(self, state: State) -> None:
        """Write them if the last time is long enough ago."""
        now = time.monotonic()
        if now - self._written >= EVERY_SECONDS:
            self.write(state)
            self._written = now

    def write(self, state: State) -> None:
        """Write them all."""
        full = details(state)
        _replace(self.folder / "state.yaml", to_yaml(as_data(full)))
        short = {**as_data(full.overview), "status": str(state.status())}
        _replace(self.folder / "status.json", json.dumps(short, indent=2, ensure_ascii=False) + "\n")
        for name, text in self.more(state).items() if self.more else ():
            _replace(self.folder / name, self.masker.text(text))
        for stage in state.the_task().pipeline.stages:
            self._artifacts(state, stage.name, stage.output_contract)

    def _artifacts(self, state: State, stage: str, contract: str) -> None:
        mine = state.stage(stage)
        folder = self.folder / "artifacts" / stage
        for number, digest in enumerate(mine.versions, start=1):
            self._artifact(folder / f"{contract}_v{number}.yaml", digest)
        if state.exited and state.exited.stage == stage:
            self._artifact(folder / f"{contract}_final.yaml", state.exited.artifact)

    def _artifact(self, path: Path, digest: str) -> None:
        text = self.masker.text(self.blobs.get(digest).decode("utf-8", "replace"))
        try:
            shown = to_yaml(json.loads(text))
        except ValueError:
            shown = text  # an answer that was no artifact; the gate has said so
        if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != shown:
            _replace(path, shown)


def _replace(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)  # never through a link
    fresh.write_text(text, encoding="utf-8", errors="replace")
    fresh.replace(path)
