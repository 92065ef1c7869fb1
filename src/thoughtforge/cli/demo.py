"""thoughtforge demo: the main job on a sample repository, with replies written beforehand and labelled as such."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.command("demo")
@click.option(
    "--at",
    type=click.Path(path_type=Path),
    help="Where to put the sample repository; a new temporary folder by default.",
)
@json_flag
def command(at: Path | None, as_json: bool) -> None:
    """Carry a request to a verified branch of a sample repository, then damage a copy of the record and see it show.

    The replies are scripted: written for this demonstration, not by a model. Everything else is real.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.demonstration import demonstrate

    demonstrate(at, as_json=as_json, make_app=make_app)
