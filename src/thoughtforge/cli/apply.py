"""thoughtforge apply."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument

DONE = {"nothing": "has it already", "fast_forward": "now has it", "merge": "now has it, by a merge"}


@click.command("apply")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Bring the result of TASK onto the branch you are on; when that has moved on, the outcome is tested first."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.ends import print_json
    from thoughtforge.service.take import apply

    app = make_app()
    task_id = app.store.find(task)
    applied = asyncio.run(apply(app, task_id))
    if as_json:
        data = {**applied.onto._asdict(), "paths": list(applied.paths), "verified": applied.verified}
        print_json({"ok": True, "exit_code": 0, "task": task_id, **data})
        return
    click.echo(f"{applied.onto.branch} {DONE[applied.onto.how]}: {applied.onto.after[:12]}, {len(applied.paths)} files")
    click.echo(f"  verified: {applied.verified}")
