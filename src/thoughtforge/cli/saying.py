"""What the commands that speak to a task share: send the message, tell what became of it."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.ends import print_json
from thoughtforge.kernel.stops import next_action
from thoughtforge.service.app import App
from thoughtforge.service.messages import Sent, send


def say(task: str, kind: str, data: dict[str, Any], *, done: str, as_json: bool) -> None:
    """Send a message to the task a person means."""
    app = make_app()
    tell(app, app.home.find(task), kind, data, done=done, as_json=as_json)


def tell(app: App, task_id: str, kind: str, data: dict[str, Any], *, done: str, as_json: bool) -> None:
    """Send a message and print what became of it."""
    sent = send(app, task_id, kind, data)
    follow = _follow(sent, task_id)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "runner": sent.runner, "next_action": follow})
        return
    taken = f"; {sent.runner} takes it up at its next step" if sent.runner else ""
    click.echo(f"{task_id}: {done}{taken}\n  → {follow}")


def _follow(sent: Sent, task_id: str) -> str:
    if sent.runner:
        return f"Watch it: thoughtforge status {task_id} --watch"
    reason = sent.state.reason()
    return next_action(reason, task_id) if reason else f"Go on: thoughtforge continue {task_id}"
