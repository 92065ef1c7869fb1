"""thoughtforge demo: the main job on a sample repository, with replies written beforehand and labelled as such."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.flags import json_flag

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.service.demonstration import DemoPlan, DemoTask


@click.command("demo")
@click.option(
    "--at",
    type=click.Path(path_type=Path),
    help="Where to put the sample repository; a new temporary folder by default.",
)
@json_flag
def demo(at: Path | None, as_json: bool) -> None:
    """Carry a note, a request and a change plan to their ends in a sample repository, then detect a damaged record.

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
    plan = _forge(app, steps, say, quiet=as_json)
    good = thought.done and task.done and not proof.damage and bool(damage) and plan.done
    _leave(task, plan, place=app.cwd, good=good, as_json=as_json)


def _forge(app: App, steps: Any, say: Callable[[str], None], *, quiet: bool) -> DemoPlan:
    """Forge a change plan, approve it and run its phases."""
    import asyncio

    from thoughtforge.cli.foreground import Progress

    say(f"\nreplies are scripted: no model makes them\n$ thoughtforge forge {steps.WISH!r}")
    with Progress(quiet=quiet) as progress:
        plan_id = asyncio.run(steps.forge(app, progress.listener))
    say(f"\n$ thoughtforge plan approve {plan_id}\n$ thoughtforge plan run-all {plan_id}")
    with Progress(quiet=quiet) as progress:
        plan: DemoPlan = asyncio.run(steps.implement(app, plan_id, progress.listener))
    say("\n".join(["", f"$ git log --reverse main..{plan.branch}", *plan.commits]))
    return plan


def _silent(line: str) -> None:
    return


def _leave(task: DemoTask, plan: DemoPlan, *, place: Path, good: bool, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value

    code = DONE if good else FAILED
    if as_json:
        data = {
            "task": task.task,
            "labels": ["scripted"],
            "repository": place,
            "report": task.report,
            "branch": task.branch,
            "plan": plan.plan,
            "plan_branch": plan.branch,
            "plan_commits": plan.commits,
        }
        print_value(data, code=code)
        raise Leave(code)
    if good:
        click.echo(f"\n{task.report.read_text(encoding='utf-8')}")
        click.echo(f"branch: {task.branch}\nreport: {task.report}\nplan: {plan.plan}, branch {plan.branch}")
        click.echo(f"  → Look around: cd {place} && git log --stat {task.branch}; thoughtforge plan show {plan.plan}")
    else:
        click.echo("the demonstration failed", err=True)
    raise Leave(code)
