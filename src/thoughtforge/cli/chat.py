"""thoughtforge chat."""

from __future__ import annotations

import sys

import click

from thoughtforge.cli.flags import json_flag


@click.command("chat")
@click.argument("task")
@json_flag
def command(task: str, as_json: bool) -> None:
    """Talk with a thought on a terminal; elsewhere print what was said so far. TASK is an id or `last`."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.chatting import converse, transcript
    from thoughtforge.cli.thinking import tell
    from thoughtforge.kernel.errors import Mistake

    app = make_app()
    task_id = app.store.find(task)
    if not app.home.project(task_id).is_dir():
        raise Mistake(f"task {task_id} is no thought", do="Begin one: thoughtforge think notes.md")
    if not as_json:
        transcript(app, task_id)
        if sys.stdin.isatty():
            converse(app, task_id)
    tell(app, task_id, as_json=as_json)
