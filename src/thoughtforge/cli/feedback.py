"""thoughtforge feedback."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.command("feedback")
@click.argument("task")
@click.argument("text", required=False)
@click.option(
    "--file", "-f", type=click.Path(path_type=Path), help="Structured feedback as YAML; see docs/commands.md."
)
@json_flag
def command(task: str, text: str | None, file: Path | None, as_json: bool) -> None:
    """Ask for a revision of the version TASK shows you; TEXT or FILE says what to change."""
    from thoughtforge.cli.saying import say
    from thoughtforge.service.feedback import items_of

    say(
        task,
        "decide",
        {"decision": "revise", "items": items_of(text, file)},
        done="revision asked for",
        as_json=as_json,
    )
