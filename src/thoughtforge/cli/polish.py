"""thoughtforge polish evaluate|restore."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag, read_text


@click.group("polish")
def polish() -> None:
    """The loop of reviews and fixes."""


@polish.command("evaluate")
@click.argument("history", type=click.Path(path_type=Path), metavar="HISTORY.json")
@click.option("--profile", help="The profile of guards; without it the one the configuration names.")
@json_flag
def evaluate(history: Path, profile: str | None, as_json: bool) -> None:
    """Run a profile of guards over a recorded history and say how it ends.

    \b
    {"iterations": [{"critical": 0, "medium": 3, "minor": 5}]}
    Each iteration may also have findings (severity, description, location, exists), size, hash, full and tests_passed.
    """
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_json
    from thoughtforge.service.definitions import known_here
    from thoughtforge.service.show import evaluate_history

    text = read_text(history)
    app = make_app()
    known = asyncio.run(known_here(app))
    ruling, name = evaluate_history(app, known, text, source=str(history), profile=profile)
    if as_json:
        print_json(ruling.as_json())
        return
    by = f" by {ruling.guard}" if ruling.guard else ""
    click.echo(f"{ruling.outcome}{by} at iteration {ruling.iteration} (profile {name})")
    click.echo(ruling.explanation)
    if ruling.warnings:
        click.echo(f"warnings: {', '.join(ruling.warnings)}")


@polish.command("restore")
@click.argument("task")
@click.argument("iteration", type=int, required=False)
@json_flag
def restore(task: str, iteration: int | None, as_json: bool) -> None:
    """Put the deliverable of TASK back as a review saw it: the best one, or that of ITERATION."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.take import restore as put_back

    app = make_app()
    task_id = app.store.find(task)
    done = asyncio.run(put_back(app, task_id, iteration))
    if as_json:
        print_value(done, task=task_id)
    else:
        click.echo(f"{task_id}: iteration {done.iteration} is back, commit {done.commit[:12]}")
