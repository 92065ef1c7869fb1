"""thoughtforge forge: write a change plan from a sentence, take one up again, see or end what runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import caps, given_caps, json_flag
from thoughtforge.kernel.errors import UserError


@click.command("forge")
@click.argument("what", required=False, metavar="[DESCRIPTION|PLAN|status|cancel]")
@click.argument("plan", required=False)
@click.option(
    "--file", "-f", type=click.Path(path_type=Path), help="Read the description from a file, such as an issue's text."
)
@click.option("--from-task", metavar="TASK", help="Begin from the specification of a task, or the plan of a thought.")
@click.option("--title", help="The title of the change plan; else its description gives it.")
@click.option("--provider", help="An entry of providers in config.yaml that fills every role.")
@caps
@json_flag
def forge(
    what: str | None,
    plan: str | None,
    file: Path | None,
    from_task: str | None,
    title: str | None,
    provider: str | None,
    as_json: bool,
    **more: Any,
) -> None:
    """Write a change plan from DESCRIPTION, have it audited and revised until you can approve it.

    With a PLAN it goes on where that stands. `forge status` lists what runs, `forge cancel [PLAN]` ends it at once.
    """
    from thoughtforge.assembly import make_app

    app = make_app()
    if what == "status":
        _status(app, as_json)
    elif what == "cancel":
        _cancel(app, plan, as_json)
    else:
        if plan is not None:
            raise UserError("forge takes one description", do='Put it in quotes: thoughtforge forge "What you want"')
        given = {"file": file, "from_task": from_task, "title": title, "provider": provider}
        _forge(app, what, as_json, given=given, caps=given_caps(more))


def _forge(app: Any, what: str | None, as_json: bool, *, given: dict[str, Any], caps: dict[str, Any]) -> None:
    from thoughtforge.cli.plan_render import print_change, run_plan
    from thoughtforge.service.plan_commands import take_up
    from thoughtforge.service.plan_names import named
    from thoughtforge.service.plans import begins

    known = named(app, what or "")
    if known:
        change = take_up(app, known)
        if not change.runs:
            print_change(change, as_json=as_json)
            return
        plan_id = known
    else:
        plan_id = _new(app, begins(app, what, given["file"], given["from_task"]), as_json, given=given, caps=caps)
    run_plan(app, plan_id, as_json=as_json)


def _new(app: Any, text: str, as_json: bool, *, given: dict[str, Any], caps: dict[str, Any]) -> str:
    import asyncio

    from thoughtforge.service.plans import PlanRequest, begin

    order = PlanRequest(text, given["title"] or "", given["provider"], caps)
    plan_id = asyncio.run(begin(app, order))
    if not as_json:
        for warning in app.store.peek(plan_id).state.warnings:
            click.echo(f"! {warning}", err=True)
        click.echo(plan_id, err=True)
    return plan_id


def _status(app: Any, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.plan_render import print_summaries
    from thoughtforge.service.plan_show import summaries

    rows = tuple(row for row in summaries(app) if row.runner)
    if as_json:
        print_value({"plans": rows})
    elif rows:
        print_summaries(rows)
    else:
        click.echo("no change plan runs now\n  → See all: thoughtforge plan list")


def _cancel(app: Any, word: str | None, as_json: bool) -> None:
    from thoughtforge.cli.exit_codes import FAILED, Leave
    from thoughtforge.cli.plan_render import print_change
    from thoughtforge.service.plan_commands import cancel, running
    from thoughtforge.service.plan_names import find

    if word is None:
        there = running(app)
        if len(there) != 1:
            what = "no change plan runs now" if not there else f"{len(there)} change plans run"
            do = "Name one: thoughtforge forge cancel PLAN"
            raise UserError(what, do=do, details=tuple(f"{id}, run by {who}" for id, who in there.items()))
        (word,) = there
    print_change(cancel(app, find(app, word)), as_json=as_json)
    raise Leave(FAILED)
