"""thoughtforge polish evaluate|restore."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag, person_there, read_text, yes_flag
from thoughtforge.kernel.errors import UserError

if TYPE_CHECKING:
    from thoughtforge.service.take import TakenAway


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
@yes_flag
@json_flag
def restore(task: str, iteration: int | None, yes: bool, as_json: bool) -> None:
    """Put the deliverable of TASK back as a review saw it: the best one, or that of ITERATION.

    It says first what that takes away, and asks.
    """
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.take import restore as put_back
    from thoughtforge.service.take import taken_away

    app = make_app()
    task_id = app.store.find(task)
    lost = taken_away(app, task_id, iteration)
    if (lost.wishes or lost.fixes) and not yes:
        _ask_first(lost, task=task_id)
    done = asyncio.run(put_back(app, task_id, iteration))
    if as_json:
        print_value(done, task=task_id)
    else:
        click.echo(f"{task_id}: iteration {done.iteration} is back, commit {done.commit[:12]}")


def _ask_first(lost: TakenAway, *, task: str) -> None:
    """Say what is lost; at a terminal ask, elsewhere refuse to take away what the person asked for."""
    what = f"to put iteration {lost.iteration} back takes away"
    if not person_there() and lost.wishes:
        lines = (*lost.wishes, *lost.fixes)
        do = f"If that is wanted: thoughtforge polish restore {task} {lost.iteration} --yes"
        raise UserError(f"{what} what you asked for", do=do, details=lines)
    click.echo("\n".join([f"{what}:", *(f"  - {line}" for line in (*lost.wishes, *lost.fixes))]), err=True)
    if person_there():
        click.confirm("Put it back?", abort=True, err=True)
