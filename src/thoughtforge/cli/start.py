"""The commands that start a task: start, design, fix and think."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import caps, json_flag, start_options


@click.command("start")
@start_options
@click.option("--pipeline", "--goal", "pipeline", help="Which pipeline to use; see: thoughtforge pipelines list.")
@click.option("--from-spec", type=click.Path(path_type=Path), help="A specification from a file; skips to the tests.")
@click.option(
    "--from-tests", type=click.Path(path_type=Path), help="A test_suite artifact from a file; needs a specification."
)
@click.option("--pr", is_flag=True, help="Push the delivered branch and open a pull request through gh.")
@click.option("--from-task", metavar="TASK", help="Use the specification another task ended with.")
def start(pipeline: str | None, pr: bool, **options: Any) -> None:
    """Take REQUEST as far as its goal asks for: a design, tests, a review, or working code."""
    from thoughtforge.cli.start_task import start_task

    start_task(pipeline=pipeline, options=options, pull_request=pr)


@click.command("design")
@start_options
def design(**options: Any) -> None:
    """Turn REQUEST, one sentence about this repository, into a verified specification."""
    from thoughtforge.cli.start_task import start_task

    start_task(pipeline="design", options=options, command="design")


@click.command("fix")
@start_options
def fix(request: str | None, **options: Any) -> None:
    """Remove the finding REQUEST, an id such as V-0123456789ab from `thoughtforge check`, and prove that it is gone."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.flags import read_request
    from thoughtforge.cli.start_task import start_task
    from thoughtforge.service.check import request_for

    asked = asyncio.run(request_for(make_app(), read_request(request, options.pop("file"))))
    start_task(pipeline="fix", options={**options, "request": asked, "file": None}, command="fix")


@click.command("think")
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Copy the finished plan to this place.")
@click.option("--yes", is_flag=True, help="Skip both confirmations; the result is labelled a draft.")
@click.option("--pause", is_flag=True, help="Stop at both confirmations, also without a terminal.")
@click.option("--provider", help="Which provider to use; without any, rules put the notes in order.")
@click.option(
    "-r", "--resource", "resources", multiple=True, type=click.Path(path_type=Path), help="A file to bring along."
)
@caps
@json_flag
def think(file: str | None, output: Path | None, yes: bool, provider: str | None, as_json: bool, **more: Any) -> None:
    """Turn the brain dump in FILE into intent.md and then into a plan or code; without FILE start a chat."""
    from thoughtforge.cli.start_task import start_thought

    start_thought(file, output=output, yes=yes, provider=provider, as_json=as_json, more=more)
