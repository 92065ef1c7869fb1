"""thoughtforge escalations list."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.group("escalations")
def command() -> None:
    """The questions that wait for a person."""


@command.command("list")
@json_flag
def list_(as_json: bool) -> None:
    """Every open question of every task."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.show import open_escalations

    app = make_app()
    rows = open_escalations(app)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "escalations": rows})
        return
    for row in rows:
        click.echo(f"{row['id']}  {row['task']}  {row['stage']}, {row['reason']}, since {row['created_at']}")
        click.echo(f"  {row['summary']}")
        for question in row["questions"]:
            click.echo(f"    {question['id']} ({question['impact']}) {question['text']}")
            if question["proposal"]:
                click.echo(f"      the agent proposes: {question['proposal']}")
        click.echo(f"  → thoughtforge resolve {row['task']}:{row['id']} ANSWER")
    if not rows:
        click.echo("nothing waits for you")
