"""thoughtforge approve."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("approve")
@task_argument
@click.option("--exit", "leave", is_flag=True, help="End the task here with this version as its result.")
@json_flag
def command(task: str, leave: bool, as_json: bool) -> None:
    """Accept the version TASK shows you; it goes on with: thoughtforge continue TASK."""
    from thoughtforge.cli.saying import say

    say(task, "decide", {"decision": "exit" if leave else "approve"}, done="approved", as_json=as_json)
