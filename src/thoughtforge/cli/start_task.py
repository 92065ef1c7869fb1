"""What the commands that start a task do: settle the plan, say what was chosen and why, create the task, run it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.chat import converse
from thoughtforge.cli.exit_codes import Leave, print_value
from thoughtforge.cli.flags import given_caps, person_there, read_request, read_text
from thoughtforge.cli.foreground import require_terminal, run_and_leave, run_here
from thoughtforge.cli.render import leave_with_thought
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.app import App
from thoughtforge.service.create import TaskSpec
from thoughtforge.service.estimate import StartPlan, plan_view
from thoughtforge.service.run import pauses
from thoughtforge.service.submit import StartRequest, plan, submit
from thoughtforge.service.thoughts import Thought, begin


def start_task(*, pipeline: str | None, options: dict[str, Any], command: str = "", pull_request: bool = False) -> None:
    """Carry out start, design or fix."""
    as_json = bool(options["as_json"])
    app = make_app()
    if pull_request:
        _check_pull_request(app, options)
    order = _order(pipeline, options)._replace(command=command)
    if app.loaded.created and not as_json:
        click.echo(f"created {app.loaded.path} from the example", err=True)
    if options["dry_run"]:
        _print_plan(plan_view(app, asyncio.run(plan(app, order))), as_json)
        return
    if options["interactive"]:
        require_terminal()
    submitted = asyncio.run(submit(app, order))
    if not as_json:
        _print_choices(submitted.plan, submitted.task_id)
    if options["detach"]:
        _detach(app, submitted.task_id, as_json)
    then = _opens_pull_request(app, submitted.task_id) if pull_request else None
    run_and_leave(app, submitted.task_id, as_json=as_json, then=then)


def _check_pull_request(app: App, options: dict[str, Any]) -> None:
    from thoughtforge.service.take import require_gh

    require_gh(app)
    if options["detach"]:
        raise UserError("a task in the background opens no pull request", do="Drop --detach or --pr.")


def _opens_pull_request(app: App, task_id: str) -> Callable[[], str]:
    from thoughtforge.service.take import open_pull_request

    return lambda: asyncio.run(open_pull_request(app, task_id))


def _order(pipeline: str | None, options: dict[str, Any]) -> StartRequest:
    return StartRequest(
        request=read_request(options["request"], options["file"]),
        pipeline=pipeline,
        through=options["through"],
        from_spec=options.get("from_spec"),
        from_tests=options.get("from_tests"),
        from_task=options.get("from_task"),
        provider=options["provider"],
        pauses=pauses(
            supervised=options["supervised"],
            stages=tuple(options["approve"]),
            iterate=options["iterate"],
            actions=options["interactive"],
        ),
        caps=given_caps(options),
        depth=options["depth"],
    )


def _print_choices(settled: TaskSpec, task_id: str) -> None:
    stages = " → ".join(stage.name for stage in settled.pipeline.stages)
    click.echo(f"task {task_id}", err=True)
    click.echo(f"goal {settled.goal.name}, because {settled.goal.cause}: {stages}", err=True)
    if settled.depth:
        click.echo(f"depth {settled.depth.depth}, because {settled.depth.reason}", err=True)
    if settled.labels:
        click.echo(f"replies are {' and '.join(settled.labels)}: no model makes them", err=True)
    for name in settled.offsite:
        click.echo(f"provider {name} sends parts of the repository to another machine", err=True)
    for note in settled.notes:
        click.echo(f"! {note}", err=True)


def _detach(app: App, task_id: str, as_json: bool) -> None:
    from thoughtforge.service.run import run_in_background

    started = run_in_background(app, task_id)
    if as_json:
        print_value(started)
    else:
        click.echo(f"process {started.pid} runs it in the background")
        click.echo(f"  → Watch it: thoughtforge status {task_id} --watch")
    raise Leave(0)


def _print_plan(shown: StartPlan, as_json: bool) -> None:
    if as_json:
        print_value(shown)
        return
    click.echo(f"goal {shown.goal}, because {shown.goal_cause}; base commit {shown.base_commit[:12]}")
    click.echo(f"depth {shown.depth['depth']}, because {shown.depth['reason']}")
    for row in shown.stages:
        reviewed = f", reviewed by {', '.join(row.reviewers)}" if row.reviewers else ""
        end = "  (end)" if row.stage == shown.exit_stage else ""
        click.echo(f"  {row.stage:<10} {row.role}{reviewed} → {row.contract}{end}")
    click.echo(f"providers: {', '.join(f'{role}: {name}' for role, name in shown.providers.items())}")
    click.echo(f"caps: {shown.caps}")
    click.echo(f"estimate: {shown.estimate.text()}")
    for note in shown.notes:
        click.echo(f"! {note}")


def start_thought(
    file: str | None, *, output: Path | None, yes: bool, provider: str | None, as_json: bool, more: dict[str, Any]
) -> None:
    """Carry out think: read the brain dump and take it as far as it goes without asking."""
    app = make_app()
    text = _brain_dump(file)
    pause = bool(more.pop("pause"))
    if yes and pause:
        raise UserError("--yes and --pause contradict each other", do="Give one of them.")
    draft = yes or not (pause or person_there())
    if not text.strip() and not person_there():
        raise UserError("there is no brain dump", do="Give a file or - for stdin: thoughtforge think notes.md")
    thought = Thought(
        text=text,
        draft=draft,
        provider=provider,
        resources=more["resources"],
        caps=given_caps(more),
        copy_to=output,
    )
    task_id = asyncio.run(begin(app, thought))
    if not as_json:
        click.echo(f"task {task_id}", err=True)
        for warning in app.store.peek(task_id).state.warnings:
            click.echo(f"! {warning}", err=True)
    if text.strip():
        run_here(app, task_id, quiet=as_json)
    if not draft and not as_json and person_there():
        converse(app, task_id)
    leave_with_thought(app, task_id, as_json=as_json)


def _brain_dump(file: str | None) -> str:
    if file is None:
        return "" if person_there() else sys.stdin.read()
    return read_text(Path(file))
