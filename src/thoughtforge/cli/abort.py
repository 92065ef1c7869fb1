"""thoughtforge abort."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("abort")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """End TASK for good. Everything it made is kept; doing it twice is harmless."""
    from thoughtforge.cli.saying import say

    say(task, "abort", {}, done="aborted", as_json=as_json)
