"""thoughtforge discard."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("discard")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Take the branch TASK delivered out of your repository. Its record and its work are kept."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.take import discard

    app = make_app()
    task_id = app.store.find(task)
    said = asyncio.run(discard(app, task_id))
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "message": said})
    else:
        click.echo(said)
