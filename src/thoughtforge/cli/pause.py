"""thoughtforge pause."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("pause")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Ask TASK to rest after its current step; continue takes it up again."""
    from thoughtforge.cli.saying import say

    say(task, "pause", {}, done="asked to pause", as_json=as_json)
