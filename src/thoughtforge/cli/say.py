"""thoughtforge say."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("say")
@click.argument("task")
@click.argument("text")
@json_flag
def command(task: str, text: str, as_json: bool) -> None:
    """Say something to a thought; it answers. TASK is an id or `last`; TEXT may be - for stdin."""
    from thoughtforge.cli.thinking import do, text_of

    do(task, "say", text_of(text), as_json=as_json)
