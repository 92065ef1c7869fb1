"""thoughtforge continue: go on after a crash, an answer, a pause or a raised cap."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge.cli.flags import caps, given_caps, json_flag, task_argument


@click.command("continue")
@task_argument
@caps
@click.option("--extend-to", metavar="STAGE", help="End at a later stage than planned.")
@click.option("--accept-loss", is_flag=True, help="Continue without the damaged part of the record and set it aside.")
@click.option("--provider", help="Use another provider from now on.")
@click.option("--by-hand", is_flag=True, help="Answer the next call of a model yourself, by file or editor.")
@click.option("--interactive", is_flag=True, help="Ask you before every action of an agent.")
@json_flag
def resume(
    task: str,
    as_json: bool,
    interactive: bool,
    extend_to: str | None,
    accept_loss: bool,
    provider: str | None,
    by_hand: bool,
    **caps: Any,
) -> None:
    """Continue TASK (an id, a unique beginning of one, or `last`) where its record ends.

    A finished thought begins a further round.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.foreground import run_and_leave
    from thoughtforge.service.run import ResumeOptions

    app = make_app()
    wishes = ResumeOptions(
        caps=given_caps(caps), provider=provider, extend_to=extend_to, accept_loss=accept_loss, by_hand=by_hand
    )
    run_and_leave(app, app.store.find(task), as_json=as_json, interactive=interactive, wishes=wishes)
