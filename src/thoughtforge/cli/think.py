"""thoughtforge think: pour out a thought, get a plan or code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import caps, json_flag


@click.command("think")
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Copy the plan to this place when it is there.")
@click.option("--yes", is_flag=True, help="Take both confirmations as given; the result is labelled a draft.")
@click.option("--provider", help="Which provider to use; without any, notes are put in order by rules.")
@click.option(
    "-r", "--resource", "resources", multiple=True, type=click.Path(path_type=Path), help="A file to bring along."
)
@caps
@json_flag
def command(file: str | None, output: Path | None, yes: bool, provider: str | None, as_json: bool, **more: Any) -> None:
    """Turn the brain dump in FILE into intent.md and then into a plan or code; without FILE begin a chat."""
    from thoughtforge.cli.beginning import think

    think(file, output=output, yes=yes, provider=provider, as_json=as_json, more=more)
