"""thoughtforge hint."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("hint")
@click.argument("task")
@click.argument("text")
@json_flag
def command(task: str, text: str, as_json: bool) -> None:
    """Tell TASK something; TEXT enters the next context."""
    from thoughtforge.cli.saying import say

    say(task, "hint", {"text": text}, done="hint given", as_json=as_json)
