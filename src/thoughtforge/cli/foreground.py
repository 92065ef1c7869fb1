"""Run a task in the foreground: progress on stderr; Ctrl-C and SIGTERM stop it with everything on record."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import person_there
from thoughtforge.cli.render import leave_with_end, leave_with_thought
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.app import App
from thoughtforge.service.progress import ProgressLine, progress_line
from thoughtforge.service.respond import ask_to_pause, resume
from thoughtforge.service.run import (
    NO_OPTIONS,
    Listener,
    PermissionChoice,
    ResumeOptions,
    RunResult,
    asker,
    wants_to_be_asked,
)
from thoughtforge.service.show import end_of, is_thought
from thoughtforge.views.values import TaskSummary

if TYPE_CHECKING:
    from rich.status import Status

PERMISSIONS = ("a", "d", "s")
HEARTBEAT_SECONDS = 30.0


class Progress:
    """Shows what a running task does, on stderr: stdout is for results."""

    def __init__(self, *, quiet: bool, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self.quiet = quiet
        self.heartbeat = heartbeat
        self.began = self.shown = time.monotonic()
        self.last: ProgressLine | None = None
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

    @property
    def listener(self) -> Listener:
        """What a run calls for every event it records."""
        if self.quiet:
            return lambda record, state: None
        return lambda record, state: self.show(progress_line(record, state))

    def show(self, line: ProgressLine) -> None:
        """Show one event, and below the events where the task is now."""
        self.last, self.shown = line, time.monotonic()
        if line.text:
            self._print(f"{line.time[11:19]}  {line.text}")
        if self.live is not None:
            self.live.update(self._now(line.task()))

    async def beats(self) -> None:
        """Say now and then that a long call still runs; with a status line, keep its seconds true."""
        told = 0.0
        while True:
            await asyncio.sleep(1 if self.live else self.heartbeat)
            if self.quiet or self.last is None:
                continue
            if self.live is not None:
                self.live.update(self._now(self.last.task()))
            calls = self.last.waits_for()
            now = time.monotonic()
            if calls and now - max(told, self.shown) >= self.heartbeat:
                told = now
                self._print(f"{' ' * 8}  … {calls} has not answered for {now - self.shown:.0f} s")

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Repaint nothing while a person reads a question and answers it."""
        if self.live is None:
            yield
            return
        self.live.stop()
        try:
            yield
        finally:
            self.live.start()

    def _print(self, line: str) -> None:
        if self.live is not None:
            self.live.console.print(line, highlight=False, markup=False)
        else:
            click.echo(line, err=True)

    def _now(self, task: TaskSummary) -> str:
        elapsed = int(time.monotonic() - self.began)
        used = task.cost
        spent = f"step {used.steps} · {used.tokens:,} tokens · {used.money()}" if used else ""
        return f"{task.stage} · {spent} · {elapsed} s"


def run_and_leave(
    app: App,
    task_id: str,
    *,
    as_json: bool,
    interactive: bool = False,
    wishes: ResumeOptions = NO_OPTIONS,
    then: Callable[[], str] | None = None,
) -> None:
    """Run until the task stops, report how it ended, and leave; `then` is done once it is done."""
    thought = is_thought(app, task_id)
    interactive = not thought and (interactive or wants_to_be_asked(app, task_id))
    if interactive:
        require_terminal()
    ended = run_here(app, task_id, quiet=as_json, interactive=interactive, wishes=wishes)
    if thought:
        leave_with_thought(app, task_id, as_json=as_json)
    end = end_of(app, ended)
    pull_request = then() if then is not None and end.exit_code == 0 else None
    leave_with_end(end._replace(pull_request=pull_request), as_json=as_json)


def require_terminal() -> None:
    """A person who wants to be asked must be there."""
    if not person_there():
        raise UserError("--interactive needs a terminal", do="Run it in a terminal, or start with --supervised.")


def run_here(
    app: App, task_id: str, *, quiet: bool, interactive: bool = False, wishes: ResumeOptions = NO_OPTIONS
) -> RunResult:
    """Run until the task stops.

    The first signal lets a thought finish the running call, the second ends it at once. Any other task ends at once.
    """
    patient = is_thought(app, task_id)
    try:
        with Progress(quiet=quiet) as progress:
            ask = asker(lambda action: _choose(action, progress)) if interactive else None
            work = resume(app, task_id, listener=progress.listener, ask=ask, wishes=wishes)
            pause = (lambda: ask_to_pause(app, task_id)) if patient else None
            signalled, ended = asyncio.run(_until_signal(work, pause, progress))
    except asyncio.CancelledError:  # before the work began
        raise KeyboardInterrupt from None
    if patient and signalled:
        raise KeyboardInterrupt
    if patient and ended.rest.reason == "file_system_error" and ended.state.stop is None:
        raise OSError(ended.rest.detail)  # the disk did not take the reason, so the record cannot tell it
    return ended


async def _until_signal(
    work: Coroutine[Any, Any, RunResult], pause: Callable[[], None] | None, progress: Progress
) -> tuple[bool, RunResult]:
    """Whether a signal came, and how the work ended. Without `pause` Ctrl-C keeps its own handler for prompts."""
    running, loop = asyncio.current_task(), asyncio.get_running_loop()
    signals: list[int] = []

    def stop(number: int) -> None:
        signals.append(number)
        if pause is not None and len(signals) == 1:
            pause()
            click.echo("it stops after the running call; press Ctrl-C again to end it at once", err=True)
        elif running is not None:
            running.cancel()

    for number in (signal.SIGTERM,) if pause is None else (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    beating = asyncio.create_task(progress.beats())
    try:
        ended = await work
    finally:
        beating.cancel()
    return bool(signals), ended


def _choose(action: str, progress: Progress) -> PermissionChoice:
    with progress.aside():
        click.echo(f"\nThe agent wants to use {action}", err=True)
        letter = click.prompt("Allow, deny or stop", type=click.Choice([*PERMISSIONS]), default="a", err=True)
        if letter == "d":
            return PermissionChoice("deny", click.prompt("Why", default="not wanted", err=True))
        return PermissionChoice("stop" if letter == "s" else "allow")
