"""Run a task in the foreground: progress on stderr, Ctrl-C and SIGTERM end it with everything on record."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Callable

import click

from thoughtforge.agent.context import one_line
from thoughtforge.agent.means import Permission
from thoughtforge.cli.outcome import tell
from thoughtforge.cli.progress import Progress
from thoughtforge.kernel.errors import LogCorrupt, Mistake, Stop
from thoughtforge.kernel.events import TaskCreated
from thoughtforge.kernel.model import JsonObject, Task
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.run import NO_WISHES, Ask, Ended, Wishes, run
from thoughtforge.store.port import Reader


def run_here(
    app: App,
    task_id: str,
    *,
    as_json: bool,
    interactive: bool = False,
    wishes: Wishes = NO_WISHES,
    then: Callable[[], str] | None = None,
) -> None:
    """Run until the task rests, do what was wished for a task that is done, tell how it ended, leave."""
    interactive = interactive or _wanted_at_start(app, task_id)
    if interactive:
        require_terminal()
    try:
        with Progress(quiet=as_json) as progress:
            ended = asyncio.run(
                _run(app, task_id, progress, ask=asker(progress) if interactive else None, wishes=wishes)
            )
    except asyncio.CancelledError:  # SIGTERM before the work began
        raise KeyboardInterrupt from None
    more = then() if then is not None and ended.rest.reason is StopReason.done else ""
    tell(app, ended, as_json=as_json, more=more)


def _wanted_at_start(app: App, task_id: str) -> bool:
    """What the task was created with; of a damaged record the first event is enough, the run tells the rest."""
    task = app.store.peek(task_id)
    try:
        settled = task.state.task
    except LogCorrupt:
        settled = _first_task(task)
    return settled is not None and settled.pauses.actions


def _first_task(task: Reader) -> Task | None:
    try:
        first = next(task.read(), None)
    except LogCorrupt:
        return None
    return first.event.task if first is not None and isinstance(first.event, TaskCreated) else None


def require_terminal() -> None:
    """Whoever wants to be asked must be there."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Mistake("asking before every action needs a terminal", do="Run it in one, or start with --supervised.")


async def _run(app: App, task_id: str, progress: Progress, *, ask: Ask | None, wishes: Wishes) -> Ended:
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await run(app, task_id, listener=progress, ask=ask, wishes=wishes)


def asker(progress: Progress) -> Ask:
    """Whoever asks before an action, with the progress put aside meanwhile."""

    async def ask(tool: str, params: JsonObject) -> Permission:
        with progress.aside():
            return _ask(tool, params)

    return ask


def _ask(tool: str, params: JsonObject) -> Permission:
    shown = one_line(", ".join(f"{key}={value}" for key, value in params.items()), 300)
    click.echo(f"\nThe agent wants to use {tool}({shown})", err=True)
    choice = click.prompt("Allow, deny or stop", type=click.Choice(["a", "d", "s"]), default="a", err=True)
    if choice == "s":
        raise Stop(StopReason.paused)
    if choice == "d":
        return Permission(False, click.prompt("Why", default="not wanted", err=True))
    return Permission(True)
