"""thoughtforge.log: what the engine did, one JSON object a line, for finding out what went wrong.

A view: written from the events as they happen, never read back, and never a reason for a task to stop.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.calls.events import CallEnded, CallFailed, CallStarted
from thoughtforge.kernel import events as e
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.secrets import Masker

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


class Line(NamedTuple):
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

    def _lines(self, event: e.Event | e.Unknown) -> list[Line]:
        lines: list[Line] = []
        if isinstance(event, CallStarted) and event.provider not in self._providers:
            self._providers.add(event.provider)
            lines.append(Line("plugin_loaded", f"provider {event.provider}, model {event.model}"))
        line = line_of(event)
        return [*lines, line] if line else lines


class _Quiet(RotatingFileHandler):
    """A full disk is told by the log itself, which stops the task; this file is the least of it."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is the library's
        """Say nothing."""


def line_of(event: e.Event | e.Unknown) -> Line | None:
    """What to note of an event; nothing for those that say nothing about the engine's doing."""
    make = LINES.get(type(event))
    return make(event) if make else None


def _stopped(event: e.RunnerStopped) -> Line:
    words = f"{event.reason}: {event.detail}" if event.detail else str(event.reason)
    if event.reason is StopReason.done:
        return Line("phase_transition", words)
    halted = STOPS[event.reason].status is TaskStatus.halted
    return Line("halt", words, "error" if halted else "warn")


def _judged(event: e.GateDecided) -> Line:
    problems = "; ".join(f"{one.where}: {one.what}" for one in event.verdict.problems)
    words = f"gate after {event.stage}, round {event.round}: {event.verdict.outcome} {problems}"
    return Line("guard_evaluation", words, "info" if event.verdict.outcome == "pass" else "warn")


def _reviewed(event: e.ReviewGiven) -> Line:
    words = f"review of {event.stage} by {event.reviewer}, iteration {event.iteration}"
    return Line("guard_evaluation", f"{words}: {len(event.blocking)} blocking, {len(event.advisory)} advisory")


def _measured(event: e.Measured) -> Line:
    level: Level = "info" if event.outcome == "pass" else "warn"
    return Line("guard_evaluation", f"{event.what}: {event.outcome}: {event.summary}", level)


LINES: dict[type, Callable[[Any], Line]] = {
    e.RunnerStarted: lambda v: Line("config_loaded", f"{v.program}, process {v.pid} on {v.host}"),
    e.RunnerStopped: _stopped,
    e.TaskCreated: lambda v: Line("phase_transition", f"created with the goal {v.task.goal}"),
    e.StageStarted: lambda v: Line("phase_transition", f"{v.stage} begins, round {v.round}, by {v.role}"),
    e.StageSkipped: lambda v: Line("phase_transition", f"{v.stage} skipped: {v.reason}"),
    e.StagePassed: lambda v: Line("phase_transition", f"{v.stage} passed"),
    e.PipelineExited: lambda v: Line("phase_transition", f"ended after {v.stage} with {v.deliverable}"),
    CallStarted: lambda v: Line(
        "agent_call", f"{v.mode} call to {v.provider}, {v.stage}, round {v.round}, step {v.step}"
    ),
    CallEnded: lambda v: Line("agent_response", f"{v.model} answered in {v.seconds:.1f} s"),
    CallFailed: lambda v: Line("error", f"the call failed ({v.kind}): {v.error}", "error"),
    e.GateDecided: _judged,
    e.ReviewGiven: _reviewed,
    e.Measured: _measured,
    e.EscalationRaised: lambda v: Line("halt", f"{v.escalation.id} asks a person: {v.escalation.summary}", "warn"),
    e.WarningGiven: lambda v: Line("error", v.text, "warn"),
    LossAccepted: lambda v: Line("error", f"what came after event {v.lost_after} is lost", "warn"),
}
"""Event → what is noted of it. A kind of event that is not here is not noted."""
