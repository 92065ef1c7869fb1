"""thoughtforge provide."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("provide")
@click.argument("task")
@click.argument("text")
@json_flag
def command(task: str, text: str, as_json: bool) -> None:
    """Give a stuck build what it needs. TASK is an id or `last`; TEXT may be - for stdin."""
    from thoughtforge.cli.thinking import do, text_of

    do(task, "provide", text_of(text), as_json=as_json)
