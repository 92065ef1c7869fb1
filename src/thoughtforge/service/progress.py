"""What a person can follow while a task runs: a line for each event worth showing, the operations log, the live reply.

The two files lie beside the record; nothing is ever read back from them.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any, Literal, NamedTuple

from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed, CallStarted, DepthSet
from thoughtforge.kernel import events as e
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus
from thoughtforge.people.events import HintGiven
from thoughtforge.polish.events import PolishFixed, PolishReviewed, PolishTests
from thoughtforge.service.plan_progress import plan_line
from thoughtforge.store.events import LossAccepted
from thoughtforge.store.secrets import Masker
from thoughtforge.views.tasks import summary
from thoughtforge.views.values import TaskSummary
from thoughtforge.workspaces.events import CommitMade, RefWritten


class ProgressLine(NamedTuple):
    """One event that was just recorded."""

    time: str
    text: str
    """Empty for an event a person need not see."""
    state: State
    """The task after it."""

    def task(self) -> TaskSummary:
        """The task after it, for who shows where it is now; what a running call may use at most is not used yet."""
        found = summary(self.state)
        if found.cost is None:
            return found
        held = [call.reserved for call in self.state.open_calls.values() if isinstance(call, CallStarted)]
        tokens, usd = sum(one.tokens for one in held), sum(one.usd or 0.0 for one in held)
        return found._replace(cost=found.cost._replace(tokens=found.cost.tokens - tokens, usd=found.cost.usd - usd))

    def waits_for(self) -> str:
        """Who is asked for an answer right now; empty when nobody is."""
        calls = (call for call in self.state.open_calls.values() if isinstance(call, CallStarted))
        return next((f"{call.provider} ({call.model})" for call in calls), "")


CONFIRM = "confirm"
"""The measurement that says what keeps a proposal from being confirmed."""
WHY_SKIPPED = {"untested_deliverable": "what is written here has no tests"}
"""Conditions whose names say little to a person."""


def progress_line(record: e.Record, state: State) -> ProgressLine:
    """The event and the task after it."""
    return ProgressLine(record.time, describe(record.event), state)


def describe(event: e.Event | e.Unknown) -> str:
    """One event as a line, or nothing."""
    match event:
        case e.StageStarted():
            again = f", round {event.round}" if event.round > 1 else ""
            return f"▶ {event.stage} ({event.role}{again})"
        case e.StageSkipped():
            return f"– {event.stage} skipped: {WHY_SKIPPED.get(event.reason, event.reason)}"
        case CallEnded():
            used = event.usage
            known = used.input_tokens is not None
            tokens = f"{used.input_tokens}+{used.output_tokens} tokens" if known else "the provider reports no tokens"
            return f"  reply from {event.model}: {tokens}, {event.seconds:.1f} s"
        case CallFailed():
            return f"  call failed ({event.kind}): {event.error[:200]}"
        case ActionTaken():
            return f"  {event.tool}: {event.summary[:140]}" + ("" if event.outcome == "ok" else f" [{event.outcome}]")
        case e.GateDecided():
            found = "; ".join(f"{p.where}: {p.what}" for p in event.verdict.problems[:3])
            return f"  gate of {event.stage}: {event.verdict.outcome}{f' ({found})' if found else ''}"
        case e.ReviewGiven():
            return f"  review by {event.reviewer}: {len(event.blocking)} blocking, {len(event.advisory)} advisory"
        case _:
            return _rare(event)


def _rare(event: e.Event | e.Unknown) -> str:
    match event:
        case e.StagePassed():
            return f"✔ {event.stage}" + (" (a person accepted its open issues)" if event.accepted_by_person else "")
        case e.EscalationRaised():
            return f"? {event.escalation.id}: {event.escalation.summary}"
        case e.IterationPresented():
            return f"? {event.stage}, version {event.iteration}: waits for your decision"
        case e.Measured():
            bad = [f"{c.name}: {c.detail}" for c in event.criteria if c.outcome in ("fail", "broken")]
            shown = f" ({'; '.join(bad)[:300]})" if bad else ""
            return f"  {_stands(event, bad)}, {event.summary}{shown}" if event.what != "edit" or bad else ""
        case CommitMade():
            return f"  commit {event.commit[:12]}"
        case RefWritten():
            return f"  {event.why}: {event.ref.removeprefix('refs/heads/')}"
        case HintGiven():
            return f"  hint recorded: {event.text[:100]}"
        case e.WarningGiven():
            return f"! {event.text}"
        case e.PipelineExited():
            return f"■ {event.deliverable}" + (
                f" ({event.exit_type} exit at {event.stage})" * (event.exit_type != "default")
            )
        case _:
            return plan_line(event) or _rarest(event)


def _stands(event: e.Measured, bad: Sequence[str]) -> str:
    """What was measured and how it stands; of a proposal, whether a person may confirm it."""
    if event.what == CONFIRM:
        return "not to be confirmed yet" if bad else "ready to be confirmed"
    return f"{event.what}: {event.outcome}"


def _rarest(event: e.Event | e.Unknown) -> str:
    match event:
        case DepthSet():
            return f"  depth {event.depth} from now on: {event.reason}"
        case PolishReviewed():
            ended = f": {event.outcome} by {event.guard}" if event.guard else ""
            return f"  review {event.iteration}{ended}: {event.explanation[:200]}"
        case PolishTests():
            return f"  tests before fix {event.iteration} {'changed' if event.commit else 'kept'}: {event.reason[:160]}"
        case PolishFixed():
            return f"  fix {event.iteration} {event.outcome}{f': {event.reason[:160]}' if event.reason else ''}"
        case _:
            return ""


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
