"""thoughtforge fix: the finding is the test that fails."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge.cli.flags import start_options


@click.command("fix")
@start_options
def command(request: str | None, **options: Any) -> None:
    """Remove the finding REQUEST, an id such as V-0123456789ab from `thoughtforge check`, and prove that it is gone."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.flags import read_request
    from thoughtforge.cli.starting import begin
    from thoughtforge.service.fix import request_for

    asked = read_request(request, options.pop("file"))
    begin(pipeline="fix", options={**options, "request": request_for(make_app(), asked), "file": None}, command="fix")
