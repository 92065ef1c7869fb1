"""What the commands that speak to a task share: send the message, tell what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from thoughtforge import views
from thoughtforge.assembly import make_app
from thoughtforge.cli.ends import print_json
from thoughtforge.kernel.stops import StopReason
from thoughtforge.service.app import App
from thoughtforge.service.messages import Sent, send

if TYPE_CHECKING:
    from thoughtforge.service.handover import Saved


def say(task: str, kind: str, data: dict[str, Any], *, done: str, as_json: bool) -> None:
    """Send a message to the task a person means."""
    app = make_app()
    tell(app, app.store.find(task), kind, data, done=done, as_json=as_json)


def tell(app: App, task_id: str, kind: str, data: dict[str, Any], *, done: str, as_json: bool) -> None:
    """Send a message and print what became of it."""
    sent = send(app, task_id, kind, data)
    saved = _save(app, sent, task_id)
    follow = _follow(sent, task_id)
    if as_json:
        told = {"runner": sent.runner, "refs": saved.refs, "note": saved.note or None, "next_action": follow}
        print_json({"ok": True, "exit_code": 0, "task": task_id, **told})
        return
    taken = f"; {sent.runner} takes it up at its next step" if sent.runner else ""
    click.echo(f"{task_id}: {done}{taken}")
    for ref, commit in saved.refs.items():
        click.echo(f"  its files are kept in the repository: {ref} at {commit[:12]}")
    if saved.note:
        click.echo(f"  {saved.note}")
    click.echo(f"  → {follow}")


def _save(app: App, sent: Sent, task_id: str) -> Saved:
    """A task that was ended while nobody ran it leaves its work in the repository; where."""
    import asyncio

    from thoughtforge.service.handover import Saved, save

    if sent.runner or not sent.state.branch or sent.state.reason() is not StopReason.aborted:
        return Saved({})
    return asyncio.run(save(app, task_id))


def _follow(sent: Sent, task_id: str) -> str:
    if sent.runner:
        return f"Watch it: thoughtforge status {task_id} --watch"
    return views.next_action(sent.state) or f"Go on: thoughtforge continue {task_id}"
