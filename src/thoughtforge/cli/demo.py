"""thoughtforge demo: the main job on a sample repository, with replies written beforehand and labelled as such."""

from __future__ import annotations

from pathlib import Path

import click

from thoughtforge.cli.flags import json_flag


@click.command("demo")
@click.option(
    "--at",
    type=click.Path(path_type=Path),
    help="Where to put the sample repository; a new temporary folder by default.",
)
@json_flag
def demo(at: Path | None, as_json: bool) -> None:
    """Carry a request to a verified branch of a sample repository, then damage a copy of the record and detect it.

    The replies are scripted: people wrote them for this demonstration, no model did. Everything else is real.
    """
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.foreground import Progress
    from thoughtforge.service import demonstration as steps

    say = _silent if as_json else click.echo
    app = make_app(steps.make_place(at))
    asyncio.run(steps.make_repository(app))
    say(f"sample repository: {app.cwd}")
    app = make_app(app.cwd)
    steps.configure(app)
    app = app.anew()
    say(f"rules put a note in order, for real\n\n{steps.note()}\n$ thoughtforge think notes.md --provider builtin")
    thought = asyncio.run(steps.think(app))
    for path, text in thought.documents.items():
        say(f"\n{path}\n\n{text}")
    say(f"\nreplies are scripted: no model makes them\n$ thoughtforge start {steps.REQUEST!r}")
    with Progress(quiet=as_json) as progress:
        task = asyncio.run(steps.start(app, progress.listener))
    say(f"\n$ thoughtforge verify {task.task}")
    proof = app.store.verify(task.task)
    say(f"{proof.events} events, {proof.blobs} blobs: {'; '.join(proof.damage) or 'the record is whole and unchanged'}")
    damage = steps.damage_a_copy(app, task.task)
    say(f"one byte of a copy flipped: {damage[0] if damage else 'NOT NOTICED'}")
    good = thought.done and task.done and not proof.damage and bool(damage)
    _leave(task.task, task.branch, task.report, place=app.cwd, good=good, as_json=as_json)


def _silent(line: str) -> None:
    return


def _leave(task_id: str, branch: str, report: Path, *, place: Path, good: bool, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value

    code = DONE if good else FAILED
    if as_json:
        data = {"task": task_id, "labels": ["scripted"], "repository": place, "report": report, "branch": branch}
        print_value(data, code=code)
        raise Leave(code)
    if good:
        click.echo(f"\n{report.read_text(encoding='utf-8')}")
        click.echo(f"branch: {branch}\nreport: {report}")
        click.echo(f"  → Look around: cd {place} && git log --stat {branch}; thoughtforge apply {task_id}")
    else:
        click.echo("the demonstration failed", err=True)
    raise Leave(code)
