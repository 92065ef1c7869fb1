"""thoughtforge diff."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("diff")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Show what TASK has changed, from its base commit to its files as they are now."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.take import difference

    app = make_app()
    task_id = app.store.find(task)
    text = asyncio.run(difference(app, task_id))
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "diff": text})
    else:
        click.echo(text or f"{task_id} has changed nothing yet", nl=not text.endswith("\n"))
