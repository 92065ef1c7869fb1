"""thoughtforge distill."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("distill")
@click.argument("task")
@json_flag
def command(task: str, as_json: bool) -> None:
    """Everything is said; put it in order. TASK is an id, a unique beginning of one, or `last`."""
    from thoughtforge.cli.thinking import do

    do(task, "distill", as_json=as_json)
