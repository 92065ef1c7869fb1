"""What a person sees while a task runs: one line for each event worth showing, and where the task is now."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed
from thoughtforge.kernel import events as e
from thoughtforge.kernel.state import State
from thoughtforge.people.events import HintGiven
from thoughtforge.polish.events import PolishFixed, PolishReviewed
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
        """The task after it, for who shows where it is now."""
        return summary(self.state)


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
            return f"– {event.stage} skipped: {event.reason}"
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
            return f"  gate {event.stage} → {event.to}: {event.verdict.outcome}{f' ({found})' if found else ''}"
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
            return f"  {event.what}: {event.outcome}, {event.summary}{shown}" if event.what != "edit" or bad else ""
        case CommitMade():
            return f"  commit {event.commit[:12]}"
        case RefWritten():
            return f"  {event.why}: {event.ref.removeprefix('refs/heads/')}"
        case HintGiven():
            return f"  hint recorded: {event.text[:100]}"
        case e.WarningGiven():
            return f"! {event.text}"
        case e.PipelineExited():
            return f"■ {event.deliverable} ({event.exit_type} exit at {event.stage})"
        case _:
            return _polishing(event)


def _polishing(event: e.Event | e.Unknown) -> str:
    match event:
        case PolishReviewed():
            ended = f": {event.outcome} by {event.guard}" if event.guard else ""
            return f"  review {event.iteration}{ended}: {event.explanation[:200]}"
        case PolishFixed():
            return f"  fix {event.iteration} {event.outcome}{f': {event.reason[:160]}' if event.reason else ''}"
        case _:
            return ""
