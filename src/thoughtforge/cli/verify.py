"""thoughtforge verify."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("verify")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Prove that the record of TASK is whole: the chain of events, its head, task.yaml and every blob."""
    from thoughtforge.assembly import make_store
    from thoughtforge.cli.ends import DONE, FAILED, Leave, print_json

    store = make_store()
    task_id = store.find(task)
    proof = store.verify(task_id)
    code = FAILED if proof.damage else DONE
    if as_json:
        print_json({"ok": not proof.damage, "exit_code": code, "task": task_id, **proof._asdict()})
        raise Leave(code)
    for line in proof.damage:
        click.echo(f"damaged: {line}", err=True)
    word = f"{len(proof.damage)} places are damaged" if proof.damage else "the record is whole and unchanged"
    click.echo(f"{task_id}: {proof.events} events, {proof.blobs} blobs: {word}")
    raise Leave(code)
