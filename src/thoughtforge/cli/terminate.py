"""thoughtforge terminate."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("terminate")
@click.argument("task")
@click.option("--yes", is_flag=True, help="Do not ask once more.")
@json_flag
def command(task: str, yes: bool, as_json: bool) -> None:
    """End a thought for good; what it made is kept. TASK is an id, a unique beginning of one, or `last`."""
    from thoughtforge.cli.thinking import do

    do(task, "terminate", as_json=as_json, yes=yes)
