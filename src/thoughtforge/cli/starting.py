"""What `design` and `start` do: settle the plan, say what was chosen and why, create the task, run it."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from thoughtforge.assembly import make_app
from thoughtforge.cli.ends import Leave, print_json
from thoughtforge.cli.flags import read_request
from thoughtforge.cli.running import require_terminal, run_here
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.model import Pauses
from thoughtforge.service.app import App
from thoughtforge.service.create import Plan
from thoughtforge.service.estimate import Estimate, estimate
from thoughtforge.service.submit import Order, plan, submit
from thoughtforge.settings import environment


def begin(*, pipeline: str | None, options: dict[str, Any], command: str = "", pull_request: bool = False) -> None:
    """Carry out one of the starting commands."""
    as_json = bool(options["as_json"])
    app = make_app()
    if pull_request:
        _check_pull_request(app, options)
    order = _order(pipeline, options)._replace(command=command)
    _say_created(app, as_json)
    if options["dry_run"]:
        settled = asyncio.run(plan(app, order))
        _show_plan(settled, estimate(app, settled), as_json)
        return
    if options["interactive"]:
        require_terminal()
    submitted = asyncio.run(submit(app, order))
    _say(submitted.plan, submitted.task_id, as_json)
    if options["detach"]:
        _detach(app, submitted.task_id, as_json)
    then = _opens_pull_request(app, submitted.task_id) if pull_request else None
    run_here(app, submitted.task_id, as_json=as_json, then=then)


def _check_pull_request(app: App, options: dict[str, Any]) -> None:
    from thoughtforge.service.pull_request import require_gh

    require_gh(app)
    if options["detach"]:
        raise Mistake("a task in the background opens no pull request", do="Leave --detach or --pr.")


def _opens_pull_request(app: App, task_id: str) -> Callable[[], str]:
    from thoughtforge.service.pull_request import open_pull_request

    return lambda: asyncio.run(open_pull_request(app, task_id, environment.for_person()))


def _order(pipeline: str | None, options: dict[str, Any]) -> Order:
    pauses = Pauses(
        supervised=options["supervised"],
        stages=tuple(options["approve"]),
        iterate=options["iterate"],
        actions=options["interactive"],
    )
    caps = {
        key: options[key]
        for key in ("usd", "tokens", "steps", "wall_seconds", "unknown_usd")
        if options[key] is not None
    }
    return Order(
        request=read_request(options["request"], options["file"]),
        pipeline=pipeline,
        through=options["through"],
        from_spec=options.get("from_spec"),
        from_tests=options.get("from_tests"),
        from_task=options.get("from_task"),
        provider=options["provider"],
        pauses=pauses,
        caps=caps,
    )


def _say_created(app: App, as_json: bool) -> None:
    if app.loaded.created and not as_json:
        click.echo(f"created {app.loaded.path} from the example", err=True)


def _say(settled: Plan, task_id: str, as_json: bool) -> None:
    if as_json:
        return
    stages = " → ".join(stage.name for stage in settled.pipeline.stages)
    click.echo(f"task {task_id}", err=True)
    click.echo(f"goal {settled.goal.name}, because of {settled.goal.cause}: {stages}", err=True)
    if settled.labels:
        click.echo(f"replies are {' and '.join(settled.labels)}: fixed beforehand, not made by a model now", err=True)
    for name in settled.offsite:
        click.echo(f"provider {name} sends parts of the repository off this machine", err=True)
    for note in settled.notes:
        click.echo(f"! {note}", err=True)


def _detach(app: App, task_id: str, as_json: bool) -> None:
    from thoughtforge.sandbox.process import detach

    log = app.store.local(task_id) / "run.log"
    # -P keeps a module in the repository from standing in for one of ours
    argv = [sys.executable, "-P", "-m", "thoughtforge", "continue", task_id]
    pid = detach(argv, cwd=Path(app.cwd), env=environment.for_detached(app.secret_names), log=log)
    _await_runner(app, task_id, pid)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "pid": pid, "log": str(log)})
    else:
        click.echo(f"runs in the background as process {pid}\n  → Watch it: thoughtforge status {task_id} --watch")
    raise Leave(0)


def _await_runner(app: App, task_id: str, pid: int) -> None:
    """Until the process holds the task or is gone: whoever looks next finds it at work, not as one nobody runs."""
    deadline = app.stopwatch() + 10
    task = app.store.peek(task_id)
    while task.holder() is None and os.waitpid(pid, os.WNOHANG) == (0, 0) and app.stopwatch() < deadline:
        time.sleep(0.02)


def _show_plan(settled: Plan, guess: Estimate, as_json: bool) -> None:
    stages = [
        {"stage": s.name, "role": s.role, "reviewers": list(s.reviewers), "contract": s.output_contract}
        for s in settled.pipeline.stages
    ]
    data = {
        "ok": True,
        "exit_code": 0,
        "goal": settled.goal.name,
        "goal_cause": settled.goal.cause,
        "pipeline": settled.pipeline.name,
        "exit_stage": settled.exit_stage,
        "stages": stages,
        "providers": settled.agents,
        "offsite": list(settled.offsite),
        "caps": settled.caps.model_dump(),
        "estimate": guess._asdict(),
        "base_commit": settled.base_commit,
        "notes": list(settled.notes),
    }
    if as_json:
        print_json(data)
        return
    click.echo(f"goal {settled.goal.name}, because of {settled.goal.cause}; base commit {settled.base_commit[:12]}")
    for row in stages:
        reviewed = f", reviewed by {', '.join(row['reviewers'])}" if row["reviewers"] else ""
        end = "  (end)" if row["stage"] == settled.exit_stage else ""
        click.echo(f"  {row['stage']:<10} {row['role']}{reviewed} → {row['contract']}{end}")
    click.echo(f"providers: {', '.join(f'{role}: {name}' for role, name in settled.agents.items())}")
    click.echo(f"caps: {settled.caps.model_dump()}")
    click.echo(f"estimate: {guess.text()}")
    for note in settled.notes:
        click.echo(f"! {note}")
