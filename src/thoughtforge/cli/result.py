"""The commands for a result: diff, apply, discard and attach."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument

HOW = {"nothing": "has it already", "fast_forward": "now has it", "merge": "now has it, by a merge"}


@click.command("diff")
@task_argument
@json_flag
def diff(task: str, as_json: bool) -> None:
    """Show what TASK has changed, from its base commit to its files as they are now."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.take import difference

    app = make_app()
    task_id = app.store.find(task)
    text = asyncio.run(difference(app, task_id))
    if as_json:
        print_value({"task": task_id, "diff": text})
    else:
        click.echo(text or f"{task_id} has changed nothing yet", nl=not text.endswith("\n"))


@click.command("apply")
@task_argument
@json_flag
def apply(task: str, as_json: bool) -> None:
    """Bring the result of TASK onto your current branch. If that has moved on, it tests the merge first."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.take import apply as take

    app = make_app()
    task_id = app.store.find(task)
    applied = asyncio.run(take(app, task_id))
    onto = applied.onto
    if as_json:
        print_value(onto, task=task_id, paths=applied.paths, verified=applied.verified)
        return
    click.echo(f"{onto.branch} {HOW[onto.how]}: {onto.after[:12]}, {len(applied.paths)} files")
    click.echo(f"  verified: {applied.verified}")


@click.command("discard")
@task_argument
@json_flag
def discard(task: str, as_json: bool) -> None:
    """Remove the branch TASK delivered from your repository. The task keeps its record and its work."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.take import discard as remove

    app = make_app()
    task_id = app.store.find(task)
    message = asyncio.run(remove(app, task_id))
    if as_json:
        print_value({"task": task_id, "message": message})
    else:
        click.echo(message)


@click.command("attach")
@task_argument
@json_flag
def attach(task: str, as_json: bool) -> None:
    """Make TASK belong to the repository you are in, after you moved or copied it.

    The repository must have the commit the task began from. The change goes on record.
    """
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.open_task import attach as belong

    app = make_app()
    task_id = app.store.find(task)
    done = asyncio.run(belong(app, task_id))
    if as_json:
        print_value(done, task=task_id)
        return
    before = "already" if done.before == done.repository else f"now; before, it belonged to {done.before}"
    click.echo(f"{task_id} belongs to {done.repository} {before}")
