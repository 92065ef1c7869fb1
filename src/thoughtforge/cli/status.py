"""thoughtforge status: all tasks from the index, or one in full. The list imports nothing heavy."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import click

from thoughtforge.assembly import make_app, make_store
from thoughtforge.cli.flags import json_flag
from thoughtforge.kernel.errors import Mistake
from thoughtforge.store.port import Store

SHAPES = {"done": "✔", "running": "◐", "needs_person": "◆", "halted": "■", "pending": "○"}


@click.command("status")
@click.argument("task", required=False)
@click.option("--all", "show_all", is_flag=True, help="Finished and halted tasks too, not only the newest ten.")
@click.option("--watch", is_flag=True, help="Keep showing it until it rests.")
@click.option("--stage", "--phase", "stage", metavar="STAGE", help="One stage of TASK.")
@click.option("--step", type=int, metavar="N", help="One step of TASK with the context that was sent.")
@click.option("--detail", is_flag=True, help="Measurements, problems and versions of every stage.")
@json_flag
def command(
    task: str | None, show_all: bool, watch: bool, stage: str | None, step: int | None, detail: bool, as_json: bool
) -> None:
    """Show all tasks, or TASK (an id, a unique beginning of one, or `last`) in full."""
    store = make_store()
    if watch and as_json:
        raise Mistake("--watch shows a changing picture, --json one object", do="Use one of them.")
    if task is None and (stage or step is not None or detail):
        raise Mistake("--stage, --step and --detail look into one task", do="Name it: thoughtforge status TASK")
    while True:
        resting = _show(store, task, show_all, stage, step, detail, as_json)
        if not watch or resting:
            return
        time.sleep(1.0)
        click.clear()


def _show(
    store: Store, task: str | None, show_all: bool, stage: str | None, step: int | None, detail: bool, as_json: bool
) -> bool:
    """Show once; whether there is nothing left to wait for."""
    if task is None:
        return _overview(store, show_all, as_json)
    from thoughtforge.cli.task_view import show_stage, show_step, show_task

    task_id = store.find(task)
    if step is not None:
        show_step(make_app(), task_id, step, as_json)
        return True
    if stage:
        show_stage(store, task_id, stage, as_json)
        return True
    return show_task(store, task_id, detail, as_json)


def _overview(store: Store, show_all: bool, as_json: bool) -> bool:
    rows = store.summaries()
    counts = {state: sum(row["state"] == state for row in rows) for state in SHAPES}
    if as_json:
        from thoughtforge.cli.ends import print_json

        print_json({"ok": True, "exit_code": 0, "home": store.where, "counts": counts, "tasks": rows})
        return True
    click.echo("  ".join(f"{SHAPES[state]} {state.replace('_', ' ')}: {number}" for state, number in counts.items()))
    shown = rows if show_all else rows[-10:]
    for row in reversed(shown):
        _row(row)
    if len(shown) < len(rows):
        click.echo(f"\n{len(rows) - len(shown)} older tasks: thoughtforge status --all")
    if not rows:
        click.echo('no task yet\n  → thoughtforge design "What you want"')
    return not counts["running"]


def _row(row: dict[str, Any]) -> None:
    done = int(10 * row["progress"])
    label = f" [{', '.join(row['labels'])}]" if row["labels"] else ""
    reason = f" ({row['reason']})" if row["reason"] else ""
    click.echo(f"\n{SHAPES[row['state']]} {row['task']}{label}  {row['state'].replace('_', ' ')}{reason}")
    click.echo(f"  “{row['request'][:90]}”")
    if row.get("cost"):
        spent = f"{row['cost']['steps']} steps, {row['cost']['tokens']:,} tokens, {_money(row['cost'])}"
        last = f"  last: {row['last_action']}" if row["last_action"] else ""
        bar = f"{'█' * done}{'░' * (10 - done)} {row['progress']:.0%}"
        click.echo(f"  {row['stage']} {bar}  {row['wall_seconds']:.0f} s of work, {spent}{last}  {_age(row)}")
    if row["waiting"]:
        click.echo(f"  waits for you: {row['waiting']}")
    if row["detail"]:
        click.echo(f"  {row['detail']}")
    if row["next_action"] and row["state"] != "done":
        click.echo(f"  → {row['next_action']}")


def _money(cost: dict[str, Any]) -> str:
    unknown = f" + {cost['usd_unknown_calls']} calls of unknown price" if cost["usd_unknown_calls"] else ""
    return f"${cost['usd']:.4f}{unknown}"


def _age(row: dict[str, Any]) -> str:
    seconds = (datetime.now(UTC) - datetime.fromisoformat(row["last_activity"])).total_seconds()  # noqa: TID251
    for size, name in ((86400, "d"), (3600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{name} ago"
    return f"{int(seconds)}s ago"
