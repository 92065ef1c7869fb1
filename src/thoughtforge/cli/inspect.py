"""thoughtforge inspect."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import json_flag, task_argument

if TYPE_CHECKING:
    from thoughtforge.service.app import App

Row = dict[str, Any]


@click.command("inspect")
@task_argument
@click.option("--step", type=int, metavar="N", help="One step in full.")
@click.option("--show", type=click.Choice(["all", "system", "context", "reply", "output"]), default="all")
@click.option("--steps", "list_steps", is_flag=True, help="Every step in a line.")
@click.option("--events", "list_events", is_flag=True, help="The whole record.")
@click.option("--artifact", metavar="CONTRACT", help="Only this artifact.")
@json_flag
def command(
    task: str, step: int | None, show: str, list_steps: bool, list_events: bool, artifact: str | None, as_json: bool
) -> None:
    """Show what TASK made, or its steps, or its whole record."""
    from thoughtforge.assembly import make_app
    from thoughtforge.audit import record
    from thoughtforge.cli.task_view import show_step

    app = make_app()
    task_id = app.store.find(task)
    if step is not None:
        show_step(app, task_id, step, as_json, show)
    elif list_steps:
        _rows(
            record.steps(app.store.peek(task_id)),
            "steps",
            as_json,
            lambda r: f"{r['step']:>4}  {r['stage']:<9} {r['role']:<22} {r['result']}",
        )
    elif list_events:
        _rows(
            record.events(app.store.peek(task_id)),
            "events",
            as_json,
            lambda r: f"{r['seq']:>5}  {r['time']}  {r['type']}",
        )
    else:
        _artifacts(app, task_id, artifact, as_json)


def _rows(rows: list[Row], name: str, as_json: bool, line: Callable[[Row], str]) -> None:
    from thoughtforge.cli.ends import print_json

    if as_json:
        print_json({"ok": True, "exit_code": 0, name: rows})
        return
    for row in rows:
        click.echo(line(row))


def _artifacts(app: App, task_id: str, only: str | None, as_json: bool) -> None:
    from thoughtforge.cli.ends import print_json
    from thoughtforge.kernel.errors import Mistake
    from thoughtforge.service.show import result
    from thoughtforge.store.viewfiles import to_yaml

    found = result(app, task_id)
    if only is not None:
        if only not in found:
            raise Mistake(f"task {task_id} has no {only}", do=f"It has: {', '.join(found) or 'nothing yet'}")
        found = {only: found[only]}
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "artifacts": found})
        return
    for contract, content in found.items():
        click.echo(f"# {contract}\n{to_yaml(content)}")
    if not found:
        click.echo(f"{task_id} has made nothing yet\n  → thoughtforge status {task_id}")
