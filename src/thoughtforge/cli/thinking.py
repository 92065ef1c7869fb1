"""What the commands around a thought share: act, let the task go on, tell where it stands."""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
from pathlib import Path

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.ends import Leave, print_json
from thoughtforge.cli.progress import Progress
from thoughtforge.cli.thought_shown import Standing, show, standing
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.acting import act, ask_to_rest, asks, resume
from thoughtforge.service.app import App
from thoughtforge.service.run import NO_WISHES, Ended, Wishes


def person_there() -> bool:
    """Whether somebody can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def text_of(text: str) -> str:
    """The text as given, or stdin for a dash."""
    return sys.stdin.read() if text == "-" else text


def go_on(app: App, task_id: str, *, quiet: bool, wishes: Wishes = NO_WISHES) -> None:
    """Let the task run until it rests. The first Ctrl-C lets a running call finish, the second ends at once."""
    try:
        with Progress(quiet=quiet) as progress:
            stopped, ended = asyncio.run(_run(app, task_id, progress, wishes))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None
    if stopped:
        raise KeyboardInterrupt
    if ended.rest.reason is StopReason.file_system_error and ended.state.stop is None:
        raise OSError(ended.rest.detail)  # what the disk did not take cannot be read from the record either


async def _run(app: App, task_id: str, progress: Progress, wishes: Wishes) -> tuple[bool, Ended]:
    """Whether a person stopped it, and where it came to rest."""
    running, loop = asyncio.current_task(), asyncio.get_running_loop()
    signals: list[int] = []

    def stop(number: int) -> None:
        signals.append(number)
        if len(signals) > 1 and running is not None:
            running.cancel()
        else:
            ask_to_rest(app, task_id)
            click.echo("it rests after the running call; once more ends it at once", err=True)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop, number)
    ended = await resume(app, task_id, listener=progress, wishes=wishes)
    return bool(signals), ended


def do(task: str, action: str, text: str = "", *, as_json: bool, yes: bool = False) -> None:
    """Carry out one action of a person and tell what came of it."""
    app = make_app()
    task_id = app.store.find(task)
    if not yes and person_there() and asks(app, task_id, action):
        click.confirm(f"{action} {task_id}?", abort=True, err=True)
    acted = act(app, task_id, action, text)
    if acted.runs:
        go_on(app, task_id, quiet=as_json)
    tell(app, task_id, as_json=as_json, runner=acted.runner)


def tell(app: App, task_id: str, *, as_json: bool, output: Path | None = None, runner: str | None = None) -> None:
    """Say where the thought stands and leave with its exit code."""
    now = standing(app, task_id)
    copied = _copy(now, output)
    if as_json:
        print_json({"ok": now.code == 0, "exit_code": now.code, **now.data, "copied_to": copied, "runner": runner})
    else:
        show(now, copied, runner)
    raise Leave(now.code)


def _copy(now: Standing, output: Path | None) -> str | None:
    if output is None or now.plan is None:
        return None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(now.plan, output)
    except OSError as error:
        raise Mistake(
            f"the plan cannot be copied to {output}: {error.strerror}", do=f"It lies in {now.plan}."
        ) from error
    return str(output)
