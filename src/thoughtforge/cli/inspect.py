"""The commands that look into a record: inspect, cost, verify and escalations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from thoughtforge.cli.flags import json_flag, task_argument

if TYPE_CHECKING:
    from thoughtforge.service.app import App


@click.command("inspect")
@task_argument
@click.option("--step", type=int, metavar="N", help="One step in full.")
@click.option("--show", type=click.Choice(["all", "system", "context", "reply", "output"]), default="all")
@click.option("--steps", "list_steps", is_flag=True, help="Every step in a line.")
@click.option("--events", "list_events", is_flag=True, help="The whole record.")
@click.option("--context", "contexts", is_flag=True, help="What every call was shown, and what was cut.")
@click.option("--artifact", metavar="CONTRACT", help="Only this artifact.")
@json_flag
def inspect(
    task: str,
    step: int | None,
    show: str,
    list_steps: bool,
    list_events: bool,
    contexts: bool,
    artifact: str | None,
    as_json: bool,
) -> None:
    """Show what TASK made, or its steps, or its whole record."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.render import print_step

    app = make_app()
    task_id = app.store.find(task)
    if step is not None:
        print_step(app, task_id, step, as_json=as_json, show=show)
    elif list_steps:
        _steps(app, task_id, as_json)
    elif list_events:
        _events(app, task_id, as_json)
    elif contexts:
        _contexts(app, task_id, as_json)
    else:
        _artifacts(app, task_id, artifact, as_json)


def _steps(app: App, task_id: str, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.show import steps

    rows = steps(app.store.peek(task_id))
    if as_json:
        print_value({"steps": rows})
        return
    for row in rows:
        outcome = (row.action or {}).get("outcome", "ok")
        refused = "" if outcome == "ok" else f", its action {(row.action or {})['tool']}: {outcome}"
        click.echo(f"{row.step:>4}  {row.stage:<9} {row.role:<22} {row.result}{refused}")


def _events(app: App, task_id: str, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.show import events

    rows = events(app.store.peek(task_id))
    if as_json:
        print_value({"events": rows})
        return
    for row in rows:
        click.echo(f"{row['seq']:>5}  {row['time']}  {row['type']}")


def _contexts(app: App, task_id: str, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.show import context_report

    report = context_report(app, task_id)
    if as_json:
        print_value(report)
        return
    click.echo("tokens are estimates; what is indented further stands inside the brief or the current state")
    for call in report.calls:
        left = "room not counted" if call.left is None else f"{call.left:,} of {call.room:,} left"
        click.echo(f"{call.step:>4}  {call.stage:<9} {call.role:<22} {call.tokens:>6,} tokens, {left}")
        for part, tokens in call.parts.items():
            click.echo(f"        {tokens:>6,}  {part}")
        for block, tokens in call.blocks.items():
            click.echo(f"          {tokens:>6,}  {block}")
        for title, cut in call.cut.items():
            click.echo(f"        cut: {title}, {cut.shown:,} of {cut.whole:,} tokens shown")
    for stage in report.stages:
        cut_calls = f"{stage.cut_calls} with something cut"
        used = f"{stage.tokens:,} tokens, the largest {stage.largest:,}, {stage.left:,} of room unused"
        click.echo(f"{stage.stage:<9} {stage.calls:>3} calls, {cut_calls}: {used}")


def _artifacts(app: App, task_id: str, only: str | None, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.show import finished_plan, result
    from thoughtforge.views.yaml_text import to_yaml

    found = result(app, task_id, only)
    if only is None and not as_json and (plan := finished_plan(app, task_id)):
        click.echo(f"{plan.rstrip()}\n\nalso: {', '.join(found)}\n  → thoughtforge inspect {task_id} --artifact NAME")
        return
    if as_json:
        print_value({"artifacts": found}, task=task_id)
        return
    for contract, content in found.items():
        click.echo(f"# {contract}\n{to_yaml(content)}")
    if not found:
        click.echo(f"{task_id} has made nothing yet\n  → thoughtforge status {task_id}")


@click.command("cost")
@task_argument
@json_flag
def cost(task: str, as_json: bool) -> None:
    """Show what TASK used, by stage, role and model. An unknown price is named, never counted as nothing."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service.show import cost_report

    app = make_app()
    report = cost_report(app, app.store.find(task))
    if as_json:
        print_value(report)
        return
    for row in report.rows:
        tokens = f"{row.prompt_tokens:,}+{row.completion_tokens:,} tokens"
        unknown = f", {row.prompt_tokens_unknown_calls} calls unreported" if row.prompt_tokens_unknown_calls else ""
        price = f", {row.usd_unknown_calls} of unknown price" if row.usd_unknown_calls else ""
        cached = f", {row.cached_tokens / row.prompt_tokens:.0%} cached" if row.cached_tokens else ""
        used = f"{row.calls:>3} calls  {tokens}{unknown}{cached}  ${row.usd:.4f}{price}"
        click.echo(f"{row.stage:<9} {row.role:<22} {row.model:<24} {used}")
    sent, cached_tokens = (
        sum(getattr(row, name) for row in report.rows) for name in ("prompt_tokens", "cached_tokens")
    )
    if any(row.cached_tokens_unknown_calls < row.calls for row in report.rows) and sent:
        click.echo(f"cached input: {cached_tokens:,} of {sent:,} tokens sent, {cached_tokens / sent:.0%}")
    total = report.total
    click.echo(f"total: {total.steps} steps, {total.tokens:,} tokens counted against the cap, ${total.usd:.4f}")
    if held := total.reserved_tokens:
        click.echo(f"{held:,} of these tokens are reserved by calls that were interrupted or have no answer yet,")
        click.echo("and may not have been used")


@click.command("verify")
@task_argument
@json_flag
def verify(task: str, as_json: bool) -> None:
    """Prove that the record of TASK is complete and unchanged: its chain of events, head, task.yaml and every blob."""
    from thoughtforge.assembly import make_store
    from thoughtforge.cli.exit_codes import DONE, FAILED, Leave, print_value

    store = make_store()
    task_id = store.find(task)
    proof = store.verify(task_id)
    code = FAILED if proof.damage else DONE
    if as_json:
        print_value(proof, code=code, task=task_id)
        raise Leave(code)
    for line in proof.damage:
        click.echo(f"damaged: {line}", err=True)
    word = f"{len(proof.damage)} places are damaged" if proof.damage else "the record is whole and unchanged"
    click.echo(f"{task_id}: {proof.events} events, {proof.blobs} blobs: {word}")
    raise Leave(code)


@click.group("escalations", invoke_without_command=True)
@click.pass_context
def escalations(context: click.Context) -> None:
    """The questions that wait for a person; all of them without a command."""
    if context.invoked_subcommand is None:
        context.invoke(list_escalations, as_json=False)


@escalations.command("list")
@json_flag
def list_escalations(as_json: bool) -> None:
    """Every open question of every task."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.render import print_question
    from thoughtforge.service.show import open_escalations

    rows = open_escalations(make_app())
    if as_json:
        print_value({"escalations": rows})
        return
    for row in rows:
        asked = row.overview
        click.echo(f"{asked['id']}  {row.task}  {asked['stage']}, {asked['reason']}, since {row.created_at}")
        click.echo(f"  {asked['summary']}")
        for question in asked["questions"]:
            print_question(question)
        click.echo(f"  → thoughtforge resolve {row.task}:{asked['id']} ANSWER")
    if not rows:
        click.echo("nothing waits for you")
