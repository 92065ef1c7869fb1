"""Runs the installed command in one place and keeps the story of what it put on record."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from flows.thoughts import Garden
from harness import Done
from harness.place import PATIENCE, Place
from stories.story import tell, without_digests

WATCHED = Path(__file__).parents[1] / "harness" / "watched"
"""On PYTHONPATH it makes the command count its reads of the log."""


class Turn(NamedTuple):
    """One command, what it put on record, and how often it read the whole log."""

    command: str
    lines: list[str]
    reads: int
    seconds: float


class Teller:
    """A place, and the turns that were taken in it so far."""

    def __init__(self, where: Place | Garden, **env: str) -> None:
        self.where = where
        self.env = env
        self.turns: list[Turn] = []
        self._known = 0

    def run(self, *args: str) -> Done:
        """Run the command to its end; what it did is the next turn."""
        return self.follow(args, lambda env: self._finished(args, env))

    def follow(self, args: tuple[str, ...], go: Callable[[dict[str, str]], Done]) -> Done:
        """Let `go` run the command with this environment; what it did is the next turn."""
        counted = self.where.person / f"reads-{len(self.turns)}"
        began = time.monotonic()
        done = go({"PYTHONPATH": str(WATCHED), "LOG_READS": str(counted), **self.env})
        seconds = time.monotonic() - began
        events = self.where.events()
        reads = sum(map(int, counted.read_text().split()))
        command = f"$ thoughtforge {without_digests(shlex.join(args))} → {done.code}"
        self.turns.append(Turn(command, tell(events[self._known :]), reads, seconds))
        self._known = len(events)
        return done

    def _finished(self, args: tuple[str, ...], env: dict[str, str]) -> Done:
        if isinstance(self.where, Place):
            return self.where.run(*args, timeout=PATIENCE, **env)
        return self.where.run(*args, **env)

    @property
    def story(self) -> str:
        """Every turn: the command with its exit code, then its events."""
        return "\n\n".join("\n".join([turn.command, *turn.lines]) for turn in self.turns) + "\n"

    @property
    def reads(self) -> list[int]:
        """How often each turn read the whole log."""
        return [turn.reads for turn in self.turns]

    def more_reads(self, most: list[int]) -> list[str]:
        """The turns that read the log more often than that. Views are written once a second, each from the log."""
        pairs = zip(self.turns, most, strict=True)
        return [f"{turn.reads} > {known}: {turn.command}" for turn, known in pairs if turn.reads > known + turn.seconds]
