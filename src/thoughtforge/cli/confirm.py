"""thoughtforge confirm."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("confirm")
@click.argument("task")
@json_flag
def command(task: str, as_json: bool) -> None:
    """Accept what a thought shows you and go on. TASK is an id, a unique beginning of one, or `last`."""
    from thoughtforge.cli.thinking import do

    do(task, "confirm", as_json=as_json)
