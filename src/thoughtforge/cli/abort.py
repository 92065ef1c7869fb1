"""thoughtforge abort."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("abort")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """End TASK for good. Everything it made is kept; doing it twice is harmless."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.saying import tell

    app = make_app()
    task_id = app.store.find(task)
    folder = app.store.local(task_id)
    over = "was done already" if app.store.peek(task_id).state.exited else "aborted"
    tell(app, task_id, "abort", {}, done=f"{over}; everything it made is kept in {folder}", as_json=as_json)
