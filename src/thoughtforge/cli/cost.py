"""thoughtforge cost."""

from __future__ import annotations

import click

from thoughtforge.cli.flags import json_flag, task_argument


@click.command("cost")
@task_argument
@json_flag
def command(task: str, as_json: bool) -> None:
    """Show what TASK used, by stage, role and model. Unknown is said, never counted as nothing."""
    from thoughtforge import views
    from thoughtforge.assembly import make_app
    from thoughtforge.audit.record import cost
    from thoughtforge.cli.ends import print_json

    app = make_app()
    task_id = app.store.find(task)
    found = app.store.peek(task_id)
    rows, total = cost(found), views.cost(found.state)
    if as_json:
        print_json({"ok": True, "exit_code": 0, "task": task_id, "rows": rows, "total": total})
        return
    for row in rows:
        tokens = f"{row['prompt_tokens']:,}+{row['completion_tokens']:,} tokens"
        unknown = (
            f", {row['prompt_tokens_unknown_calls']} calls unreported" if row["prompt_tokens_unknown_calls"] else ""
        )
        price = f", {row['usd_unknown_calls']} of unknown price" if row["usd_unknown_calls"] else ""
        click.echo(
            f"{row['stage']:<9} {row['role']:<22} {row['model']:<24} {row['calls']:>3} calls  {tokens}{unknown}"
            f"  ${row['usd']:.4f}{price}"
        )
    click.echo(
        f"total: {total['steps']} steps, {total['tokens']:,} tokens counted against the cap, ${total['usd']:.4f}"
    )
