"""thoughtforge reject."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("reject")
@click.argument("task")
@click.argument("reason")
@json_flag
def command(task: str, reason: str, as_json: bool) -> None:
    """Send the version TASK shows you back to the stage before, with REASON."""
    from thoughtforge.cli.saying import say

    say(task, "decide", {"decision": "reject", "items": [reason]}, done="sent back", as_json=as_json)
