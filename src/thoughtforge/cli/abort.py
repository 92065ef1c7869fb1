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
    from thoughtforge.service.messages import load_state

    app = make_app()
    task_id = app.home.find(task)
    folder = app.home.folder(task_id)
    over = "was done already" if load_state(folder).exited else "aborted"
    tell(app, task_id, "abort", {}, done=f"{over}; everything it made is kept in {folder}", as_json=as_json)
