"""thoughtforge start: the goal is read from the flags and the first verb of the request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import start_options


@click.command("start")
@start_options
@click.option("--pipeline", "--goal", "pipeline", help="Which pipeline to use; see: thoughtforge pipelines list.")
@click.option("--from-spec", type=click.Path(path_type=Path), help="A specification from a file; skips to the tests.")
@click.option(
    "--from-tests", type=click.Path(path_type=Path), help="A test_suite artifact from a file; needs a specification."
)
@click.option("--pr", is_flag=True, help="Push the delivered branch and open a pull request through gh.")
@click.option("--from-task", metavar="TASK", help="Use the specification another task ended with.")
def command(pipeline: str | None, pr: bool, **options: Any) -> None:
    """Take REQUEST as far as its goal asks for: a design, tests, a review, or working code."""
    from thoughtforge.cli.starting import begin

    begin(pipeline=pipeline, options=options, pull_request=pr)
