"""One task, one stage, one step, as `status` and `inspect` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from thoughtforge.cli.ends import print_json
from thoughtforge.kernel.errors import Mistake
from thoughtforge.store.port import Store

if TYPE_CHECKING:
    from thoughtforge.service.app import App

MARKS = {"pass": "✔", "fail": "✘", "broken": "✘ broken", "not_run": "–"}
SIGNS = {"passed": "✔", "skipped": "–", "working": "◐", "made": "◐", "pending": "○"}


def show_task(store: Store, task_id: str, detail: bool, as_json: bool) -> bool:
    """The task in full; whether it rests."""
    from thoughtforge.service.show import task_status

    data = task_status(store, task_id)
    resting = data["state"] in ("done", "halted", "needs_person") or data["runner"] is None
    if as_json:
        print_json({"ok": True, "exit_code": 0, **data})
        return resting
    label = f" [{', '.join(data['labels'])}]" if data["labels"] else ""
    reason = f" ({data['reason']})" if data["reason"] else ""
    click.echo(f"{data['task']}{label}: {data['state']}{reason}")
    click.echo(f"“{data['request']}”")
    click.echo(f"goal {data['goal']} ({data['goal_cause']}), base commit {data['base_commit'][:12]}")
    for name, stage in data["stages"].items():
        _stage_line(name, stage, detail)
    cost = data["cost"]
    click.echo(
        f"{cost['steps']} steps, {cost['tokens']:,} tokens, ${cost['usd']:.4f}, {data['wall_seconds']:.0f} s of work"
    )
    for what, measured in data["measured"].items():
        click.echo(f"{what}: {measured['summary']}")
    for ref, commit in data["refs"].items():
        click.echo(f"{ref.removeprefix('refs/heads/')} at {commit[:12]}")
    for warning in data["warnings"]:
        click.echo(f"! {warning}")
    if data["runner"]:
        click.echo(f"run by {data['runner']}")
    if data["waiting"]:
        click.echo(f"waits for you: {data['waiting']}")
    if data["next_action"]:
        click.echo(f"→ {data['next_action']}")
    return resting


def _stage_line(name: str, stage: dict[str, Any], detail: bool) -> None:
    facts = [stage["status"]]
    if stage["skipped"]:
        facts.append(stage["skipped"])
    if stage["versions"]:
        facts.append(f"version {stage['versions']}")
    if stage["verdict"]:
        facts.append(f"gate {stage['verdict']}")
    click.echo(f"  {SIGNS.get(stage['status'], '?')} {name:<9} {', '.join(facts)}")
    if not detail:
        return
    for criterion in stage["exit"]:
        found = f": {criterion['detail']}" if criterion["detail"] else ""
        click.echo(f"      {MARKS[criterion['outcome']]} {criterion['name']}{found}")
    for key, value in stage["measured"].items():
        click.echo(f"      measured {key}: {value}")
    for line in (*stage["problems"], *stage["blocking"], *stage["advisory"]):
        click.echo(f"      - {line}")


def show_stage(store: Store, task_id: str, stage: str, as_json: bool) -> None:
    """One stage in full."""
    from thoughtforge.service.show import task_status

    stages = task_status(store, task_id)["stages"]
    if stage not in stages:
        raise Mistake(f"there is no stage {stage}", do=f"Stages: {', '.join(stages)}")
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "stage": stage, **stages[stage]})
        return
    _stage_line(stage, stages[stage], detail=True)


def show_step(app: App, task_id: str, number: int, as_json: bool, show: str = "all") -> None:
    """One step with the exact text that was sent and what came back."""
    from thoughtforge.audit.record import step

    data = step(app.store.peek(task_id), number, masker=app.masker)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, **data})
        return
    click.echo(
        f"step {data['step']} of {task_id}: {data['stage']}, round {data['round']}, {data['role']} ({data['mode']})"
    )
    click.echo(f"{data['time']}  {data['provider']}/{data['model']}  {data['result']}")
    click.echo(f"context about {data['context_tokens']} tokens: {data['parts']}")
    for name, text in data["text"].items():
        if show in ("all", name):
            click.echo(f"\n── {name} ──\n{text}")
