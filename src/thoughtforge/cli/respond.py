"""What the commands that decide about a task share: send the decision, let the task go on, report what came of it."""

from __future__ import annotations

import asyncio

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.exit_codes import print_value
from thoughtforge.cli.flags import person_there
from thoughtforge.cli.foreground import run_and_leave
from thoughtforge.cli.render import leave_with_thought, print_accepted
from thoughtforge.service.app import App
from thoughtforge.service.respond import Decision, Response, asks, respond
from thoughtforge.service.show import is_thought


def record(task: str, decision: Decision, *, as_json: bool) -> None:
    """Put a decision on record; the task goes on with `thoughtforge continue`."""
    app = make_app()
    record_at(app, app.store.find(task), decision, as_json=as_json)


def record_at(app: App, task_id: str, decision: Decision, *, as_json: bool) -> None:
    """The same for a task that was found already."""
    _print(asyncio.run(respond(app, task_id, decision)), as_json=as_json)


def carry_out(task: str, decision: Decision, *, as_json: bool, yes: bool = False) -> None:
    """Put a decision on record, let the task go on when it can, report where it stands, and leave."""
    app = make_app()
    task_id = app.store.find(task)
    if decision.word == "override" and not yes and person_there():
        print_accepted(app, task_id)
    if not yes and person_there() and asks(app, task_id, decision.word):
        click.confirm(f"{decision.word} {task_id}?", abort=True, err=True)
    response = asyncio.run(respond(app, task_id, decision))
    if response.runs:
        run_and_leave(app, task_id, as_json=as_json)
    if is_thought(app, task_id):
        leave_with_thought(app, task_id, as_json=as_json, runner=response.runner)
    _print(response, as_json=as_json)


def _print(response: Response, *, as_json: bool) -> None:
    if as_json:
        print_value(response)
        return
    taken = f"; {response.runner} takes it up at its next step" if response.runner else ""
    click.echo(f"{response.task}: {response.what}{taken}")
    for ref, commit in response.refs.items():
        click.echo(f"  the repository keeps its files: {ref} at {commit[:12]}")
    if response.note:
        click.echo(f"  {response.note}")
    if response.next_action:
        click.echo(f"  → {response.next_action}")
