"""thoughtforge design: a request becomes a verified specification."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge.cli.flags import start_options


@click.command("design")
@start_options
def command(**options: Any) -> None:
    """Turn REQUEST, one sentence about this repository, into a verified specification."""
    from thoughtforge.cli.starting import begin

    begin(pipeline="design", options=options, command="design")
