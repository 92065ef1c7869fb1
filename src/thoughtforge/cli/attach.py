"""thoughtforge attach."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("attach")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Let TASK belong to the repository you are in, after you moved or copied it.

    The repository must have the commit the task began from. That is put on record.
    """
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.own_repository import attach

    app = make_app()
    task_id = app.store.find(task)
    done = asyncio.run(attach(app, task_id))
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, **done._asdict()})
        return
    before = "already" if done.before == done.repository else f"now; before, it belonged to {done.before}"
    click.echo(f"{task_id} belongs to {done.repository} {before}")
