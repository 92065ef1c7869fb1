"""thoughtforge prune."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag


@click.command("prune")
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    default=30,
    show_default=True,
    help="Days since the last event.",
)
@click.option("--halted", is_flag=True, help="Halted tasks too, not only finished ones.")
@click.option("--yes", is_flag=True, help="Really remove them; without it they are only listed.")
@json_flag
def command(days: float, halted: bool, yes: bool, as_json: bool) -> None:
    """Remove finished tasks nobody has touched for a while; without --yes they are only listed."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.prune import Pruned, prunable, prune

    app = make_app()
    tasks = prunable(app, days=days, halted=halted)
    removed, kept = prune(app, tasks) if yes else Pruned([], {})
    if as_json:
        print_json({"ok": True, "exit_code": 0, "tasks": tasks, "removed": removed, "kept": kept})
        return
    for task in tasks:
        if task in kept:
            click.echo(f"kept {task}: {kept[task]}")
        else:
            click.echo(f"{'removed' if yes else 'would remove'} {task}")
    click.echo(
        f"{len(removed) if yes else len(tasks)} tasks"
        + ("" if yes or not tasks else "\n  → Do it: thoughtforge prune --yes")
    )
