"""thoughtforge continue: go on after a crash, an answer, a pause or a raised cap."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge.cli.flags import caps, json_flag, task_argument


@click.command("continue")
@task_argument
@caps
@click.option("--extend-to", metavar="STAGE", help="Go on to a later stage than the task was meant to end at.")
@click.option("--accept-loss", is_flag=True, help="Go on without the damaged part of the record; it is kept aside.")
@click.option("--provider", help="Let another provider answer from now on.")
@click.option("--interactive", is_flag=True, help="Ask you before every action of an agent.")
@json_flag
def command(
    task: str,
    as_json: bool,
    interactive: bool,
    extend_to: str | None,
    accept_loss: bool,
    provider: str | None,
    **caps: Any,
) -> None:
    """Go on with TASK (an id, a unique beginning of one, or `last`) where its record ends."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.running import run_here
    from thoughtforge.service.run import Wishes

    app = make_app()
    task_id = app.store.find(task)
    given = {key: value for key, value in caps.items() if value is not None}
    wishes = Wishes(caps=given, provider=provider, extend_to=extend_to, accept_loss=accept_loss)
    if app.home.project(task_id).is_dir():
        from thoughtforge.cli.thinking import go_on, tell

        go_on(app, task_id, quiet=as_json, wishes=wishes)
        tell(app, task_id, as_json=as_json)
    run_here(app, task_id, as_json=as_json, interactive=interactive, wishes=wishes)
