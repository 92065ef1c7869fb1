"""What a person sees while a task runs: one line per fact, and on a terminal a line that lives below them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.status import Status

    from thoughtforge.kernel.events import Record
    from thoughtforge.kernel.state import State


class Progress:
    """A listener of the log. Everything goes to stderr: stdout is for results."""

    def __init__(self, *, quiet: bool) -> None:
        self.quiet = quiet
        self.began = time.monotonic()
        self.live: Status | None = None

    def __enter__(self) -> Progress:
        if not self.quiet and sys.stderr.isatty():
            from rich.console import Console

            self.live = Console(stderr=True).status("starting")
            self.live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self.live is not None:
            self.live.stop()

    def __call__(self, record: Record, state: State) -> None:
        """Show one event that was just recorded."""
        if self.quiet:
            return
        line = describe(record)
        if line:
            self._say(f"{record.time[11:19]}  {line}")
        if self.live is not None:
            self.live.update(self._now(state))

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Nothing is repainted while a person reads a question and answers it."""
        if self.live is None:
            yield
            return
        self.live.stop()
        try:
            yield
        finally:
            self.live.start()

    def _say(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)

    def _now(self, state: State) -> str:
        from thoughtforge.views import summary

        stage = summary(state)["stage"]
        elapsed = int(time.monotonic() - self.began)
        return f"{stage} · step {state.used.steps} · {state.used.tokens:,} tokens · {money(state)} · {elapsed} s"


def money(state: State) -> str:
    """The cost in words; unknown is said, never shown as nothing."""
    used = state.used
    if used.unknown_usd_calls:
        return f"${used.usd:.4f} + {used.unknown_usd_calls} calls of unknown price"
    return f"${used.usd:.4f}"


def describe(record: Record) -> str:
    """One event as a line, or nothing for those a person need not see."""
    from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed
    from thoughtforge.kernel import events as e

    event = record.event
    match event:
        case e.StageStarted():
            again = f", round {event.round}" if event.round > 1 else ""
            return f"▶ {event.stage} ({event.role}{again})"
        case e.StageSkipped():
            return f"– {event.stage} skipped: {event.reason}"
        case CallEnded():
            used = event.usage
            tokens = (
                "tokens not reported"
                if used.input_tokens is None
                else f"{used.input_tokens}+{used.output_tokens} tokens"
            )
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


def _rare(event: object) -> str:
    from thoughtforge.kernel import events as e
    from thoughtforge.people.events import HintGiven
    from thoughtforge.workspaces.events import CommitMade, RefWritten

    match event:
        case e.StagePassed():
            return f"✔ {event.stage}" + (" (accepted by a person with open issues)" if event.accepted_by_person else "")
        case e.EscalationRaised():
            return f"? {event.escalation.id}: {event.escalation.summary}"
        case e.IterationPresented():
            return f"? {event.stage}, version {event.iteration}: waits for your decision"
        case e.Measured():
            bad = [f"{c.name}: {c.detail}" for c in event.criteria if c.outcome in ("fail", "broken")]
            told = f" ({'; '.join(bad)[:300]})" if bad else ""
            return f"  {event.what}: {event.outcome}, {event.summary}{told}" if event.what != "edit" or bad else ""
        case CommitMade():
            return f"  commit {event.commit[:12]}"
        case RefWritten():
            return f"  {event.why}: {event.ref.removeprefix('refs/heads/')}"
        case HintGiven():
            return f"  hint taken: {event.text[:100]}"
        case e.WarningGiven():
            return f"! {event.text}"
        case e.PipelineExited():
            return f"■ {event.deliverable} ({event.exit_type} exit at {event.stage})"
        case _:
            return _polishing(event)


def _polishing(event: object) -> str:
    from thoughtforge.review.events import PolishFixed, PolishReviewed

    match event:
        case PolishReviewed():
            ended = f": {event.outcome} by {event.guard}" if event.guard else ""
            return f"  review {event.iteration}{ended}: {event.explanation[:200]}"
        case PolishFixed():
            return f"  fix {event.iteration} {event.outcome}{f': {event.reason[:160]}' if event.reason else ''}"
        case _:
            return ""
