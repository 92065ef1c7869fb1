"""thoughtforge polish evaluate."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.group("polish")
def command() -> None:
    """The loop of reviews and fixes."""


@command.command("evaluate")
@click.argument("history", type=click.Path(path_type=Path), metavar="HISTORY.json")
@click.option("--profile", help="The guards to ask; without it those the configuration names.")
@json_flag
def evaluate(history: Path, profile: str | None, as_json: bool) -> None:
    """Run a profile of guards over a recorded history and say how it ends.

    \b
    {"iterations": [{"critical": 0, "medium": 3, "minor": 5}]}
    Each iteration may also have findings (severity, description, location, exists), size, hash, full and tests_passed.
    """
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.cli.files import read_text
    from thoughtforge.cli.here import known_here
    from thoughtforge.review.guards import evaluate as run
    from thoughtforge.review.history_file import read_history
    from thoughtforge.review.profile import find

    recorded = read_history(read_text(history), source=str(history))
    settings = make_app().loaded.config.polish
    chosen = find(known_here().catalog, profile or settings.profile)
    ruling = run(recorded, chosen, settings)
    if as_json:
        print_json(ruling.as_json())
        return
    by = f" by {ruling.guard}" if ruling.guard else ""
    click.echo(f"{ruling.outcome}{by} at iteration {ruling.iteration} (profile {chosen.name})")
    click.echo(ruling.explanation)
    if ruling.warnings:
        click.echo(f"warnings: {', '.join(ruling.warnings)}")


@command.command("restore")
@click.argument("task")
@click.argument("iteration", type=int, required=False)
@json_flag
def restore(task: str, iteration: int | None, as_json: bool) -> None:
    """Put the deliverable of TASK back as a review saw it: the best one, or that of ITERATION."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.restoring import restore as put_back

    app = make_app()
    task_id = app.store.find(task)
    done = asyncio.run(put_back(app, task_id, iteration))
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, **done._asdict()})
    else:
        click.echo(f"{task_id}: iteration {done.iteration} is back, commit {done.commit[:12]}")
