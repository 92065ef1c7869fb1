"""thoughtforge status: all tasks from the index, or one in full. The list imports nothing heavy."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import click

from thoughtforge.assembly import make_app, make_store
from thoughtforge.cli.flags import json_flag
from thoughtforge.kernel.errors import UserError
from thoughtforge.service.task_list import task_list
from thoughtforge.views.values import TaskSummary

SHAPES = {"done": "✔", "running": "◐", "needs_person": "◆", "halted": "■", "pending": "○"}


@click.command("status")
@click.argument("task", required=False)
@click.option("--all", "show_all", is_flag=True, help="Finished and halted tasks too, not only the newest ten.")
@click.option("--watch", is_flag=True, help="Keep showing it until it stops.")
@click.option("--stage", "--phase", "stage", metavar="STAGE", help="One stage of TASK.")
@click.option("--step", type=int, metavar="N", help="One step of TASK with the context that was sent.")
@click.option("--detail", is_flag=True, help="Measurements, problems and versions of every stage.")
@json_flag
def status(
    task: str | None, show_all: bool, watch: bool, stage: str | None, step: int | None, detail: bool, as_json: bool
) -> None:
    """Show all tasks, or TASK (an id, a unique beginning of one, or `last`) in full."""
    if watch and as_json:
        raise UserError("--watch and --json exclude each other", do="Use one of them.")
    if task is None and (stage or step is not None or detail):
        raise UserError("--stage, --step and --detail need a task", do="Name it: thoughtforge status TASK")
    while True:
        stopped = _list(show_all, as_json) if task is None else _one(task, stage, step, detail, as_json)
        if not watch or stopped:
            return
        time.sleep(1.0)
        click.clear()


def _one(task: str, stage: str | None, step: int | None, detail: bool, as_json: bool) -> bool:
    """Show one task, or a part of it; whether nothing changes until somebody acts."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.render import print_stage, print_step, print_task
    from thoughtforge.service.show import stage_status, task_status

    store = make_store()
    task_id = store.find(task)
    if step is not None:
        print_step(make_app(), task_id, step, as_json=as_json)
        return True
    if stage:
        shown = stage_status(store, task_id, stage)
        if as_json:
            print_value(shown, task=task_id, stage=stage)
        else:
            print_stage(stage, shown, detail=True)
        return True
    live = task_status(store, task_id)
    if as_json:
        print_value(live)
    else:
        print_task(live, detail=detail)
    return live.waits


def _list(show_all: bool, as_json: bool) -> bool:
    found = task_list(make_store())
    if as_json:
        from thoughtforge.cli.exit_codes import print_value

        print_value(found)
        return True
    click.echo("  ".join(f"{SHAPES[state]} {state.replace('_', ' ')}: {n}" for state, n in found.counts.items()))
    shown = found.tasks if show_all else found.tasks[-10:]
    for row in reversed(shown):
        _row(row)
    if len(shown) < len(found.tasks):
        click.echo(f"\n{len(found.tasks) - len(shown)} older tasks: thoughtforge status --all")
    if not found.tasks:
        click.echo('no task yet\n  → thoughtforge design "What you want"')
    return not found.counts["running"]


def _row(row: TaskSummary) -> None:
    done = int(10 * row.progress)
    label = f" [{', '.join(row.labels)}]" if row.labels else ""
    reason = f" ({row.reason})" if row.reason else ""
    click.echo(f"\n{SHAPES[row.state]} {row.task}{label}  {row.state.replace('_', ' ')}{reason}")
    click.echo(f"  “{row.request[:90]}”")
    if row.cost:
        spent = row.cost.told()
        last = f"  last: {row.last_action}" if row.last_action else ""
        bar = f"{'█' * done}{'░' * (10 - done)} {row.progress:.0%}"
        click.echo(f"  {row.stage} {bar}  {row.wall_seconds:.0f} s of work, {spent}{last}  {_age(row)}")
    if row.waiting:
        click.echo(f"  waits for you: {row.waiting}")
    if row.detail:
        click.echo(f"  {row.detail}")
    if row.next_action and row.state != "done":
        click.echo(f"  → {row.next_action}")


def _age(row: TaskSummary) -> str:
    if row.last_activity is None:
        return ""
    seconds = (datetime.now(UTC) - datetime.fromisoformat(row.last_activity)).total_seconds()  # noqa: TID251
    for size, name in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{name} ago"
    return f"{int(seconds)}s ago"
