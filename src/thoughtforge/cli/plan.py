"""thoughtforge plan: create, read, decide about and implement change plans."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from thoughtforge.cli.flags import caps, given_caps, json_flag
from thoughtforge.kernel.errors import UserError

plan_argument = click.argument("plan", default="last", metavar="PLAN")


@click.group("plan")
def plan() -> None:
    """Create, read, decide about and implement change plans. PLAN is an id such as plan-017, its number, or `last`."""


def _found(word: str) -> tuple[Any, str]:
    """The application and the plan a person means."""
    from thoughtforge.assembly import make_app
    from thoughtforge.service.plan_names import find

    app = make_app()
    return app, find(app, word)


@plan.command("create")
@click.argument("description", required=False)
@click.option("--file", "-f", type=click.Path(path_type=Path), help="Read the description from a file.")
@click.option("--title", default="", help="The title; else the description gives it.")
@caps
@json_flag
def create(description: str | None, file: Path | None, title: str, as_json: bool, **more: Any) -> None:
    """Make the file of a change plan for DESCRIPTION from the template; no model is asked."""
    import asyncio

    from thoughtforge.assembly import make_app
    from thoughtforge.cli.plan_render import leave_with_plan
    from thoughtforge.service.plans import PlanRequest, begin, begins

    app = make_app()
    text = begins(app, description, file, None)
    plan_id = asyncio.run(begin(app, PlanRequest(text, title, None, given_caps(more))))
    leave_with_plan(app, plan_id, as_json=as_json)


@plan.command("list")
@json_flag
def listed(as_json: bool) -> None:
    """List all change plans."""
    from thoughtforge.assembly import make_app
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.plan_render import print_summaries
    from thoughtforge.service.plan_show import summaries

    rows = summaries(make_app())
    if as_json:
        print_value({"plans": rows})
    else:
        print_summaries(rows)


@plan.command("show")
@plan_argument
@json_flag
def show(plan: str, as_json: bool) -> None:
    """Print PLAN, and where it stands."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.cli.plan_render import print_plan
    from thoughtforge.service.plan_show import details, text

    app, plan_id = _found(plan)
    whole, found = text(app, plan_id), details(app, plan_id)
    if as_json:
        print_value(found, text=whole)
        return
    click.echo(whole)
    print_plan(found)


@plan.command("edit")
@plan_argument
@json_flag
def edit(plan: str, as_json: bool) -> None:
    """Open the file of PLAN in $EDITOR; what it means then counts. Without a terminal, take in what was edited."""
    from thoughtforge.cli.flags import person_there
    from thoughtforge.cli.plan_render import print_change
    from thoughtforge.service.plan_commands import edited, path_of

    app, plan_id = _found(plan)
    if person_there():
        edited(app, plan_id)
        click.edit(filename=path_of(app, plan_id))
    print_change(edited(app, plan_id), as_json=as_json)


@plan.command("audit")
@plan_argument
@json_flag
def audit(plan: str, as_json: bool) -> None:
    """Have PLAN audited once; nothing is revised."""
    from thoughtforge.cli.plan_render import run_plan
    from thoughtforge.service.plan_commands import audit

    app, plan_id = _found(plan)
    audit(app, plan_id)
    run_plan(app, plan_id, as_json=as_json)


@plan.command("approve")
@plan_argument
@click.option("--unaudited", metavar="REASON", default="", help="Approve it without an audit; the record names you.")
@json_flag
def approve(plan: str, unaudited: str, as_json: bool) -> None:
    """Approve what PLAN means now, for the commit you are at. A later change of its meaning needs another approval.

    With the setting plan.auto_implement its phases run at once.
    """
    import asyncio

    from thoughtforge.cli.plan_render import print_change, run_plan
    from thoughtforge.service.plan_auto import implement_at_once
    from thoughtforge.service.plan_commands import approve

    app, plan_id = _found(plan)
    change = asyncio.run(implement_at_once(app, asyncio.run(approve(app, plan_id, unaudited=unaudited))))
    if change.runs:
        run_plan(app, plan_id, as_json=as_json)
    print_change(change, as_json=as_json)


@plan.command("close")
@plan_argument
@json_flag
def close(plan: str, as_json: bool) -> None:
    """Put PLAN away; it must be done or cancelled."""
    from thoughtforge.cli.plan_render import print_change
    from thoughtforge.service.plan_commands import close

    app, plan_id = _found(plan)
    print_change(close(app, plan_id), as_json=as_json)


@plan.command("cancel")
@plan_argument
@json_flag
def cancel(plan: str, as_json: bool) -> None:
    """End PLAN; a running call ends at once. Its work stays, and `forge PLAN` takes it up again."""
    from thoughtforge.cli.plan_render import print_change
    from thoughtforge.service.plan_commands import cancel

    app, plan_id = _found(plan)
    print_change(cancel(app, plan_id), as_json=as_json)


@plan.command("phases")
@plan_argument
@click.option("--regenerate", is_flag=True, help="Make them from the plan as it is now; done ones that fit stay.")
@click.option("--reset", is_flag=True, help="With --regenerate: keep none.")
@click.option("--detail", is_flag=True, help="What was run in each phase, and how it stood.")
@json_flag
def phases(plan: str, regenerate: bool, reset: bool, detail: bool, as_json: bool) -> None:
    """Show the phases of PLAN, or make them anew."""
    from thoughtforge.cli.exit_codes import print_value
    from thoughtforge.service import plan_show

    app, plan_id = _found(plan)
    if reset and not regenerate:
        raise UserError("--reset needs --regenerate", do=f"thoughtforge plan phases {plan_id} --regenerate --reset")
    if regenerate:
        from thoughtforge.cli.plan_render import print_change
        from thoughtforge.service.plan_commands import regenerate as anew

        print_change(anew(app, plan_id, reset=reset), as_json=as_json)
        return
    found = plan_show.details(app, plan_id)
    if as_json:
        print_value(found.phases_view or {"planId": plan_id, "phases": []})
        return
    click.echo(plan_show.phases(app, plan_id) or f"{plan_id} has no phases yet\n  → {found.overview.next_action}")
    for row in plan_show.evidence(app, plan_id) if detail else ():
        click.echo(f"  {row}")


def _run(word: str, what: str, phase: str, as_json: bool) -> None:
    from thoughtforge.cli.plan_render import run_plan
    from thoughtforge.service.plan_commands import ask

    app, plan_id = _found(word)
    ask(app, plan_id, what, phase=phase)
    run_plan(app, plan_id, as_json=as_json)


@plan.command("run")
@plan_argument
@json_flag
def run(plan: str, as_json: bool) -> None:
    """Run the next phase of PLAN. One that failed is reverted and run again."""
    _run(plan, "next", "", as_json)


@plan.command("run-all")
@plan_argument
@json_flag
def run_all(plan: str, as_json: bool) -> None:
    """Run the phases of PLAN until it is done or something stops it."""
    _run(plan, "all", "", as_json)


@plan.command("run-one")
@click.argument("plan")
@click.argument("phase")
@json_flag
def run_one(plan: str, phase: str, as_json: bool) -> None:
    """Run PHASE of PLAN, when the phases it depends on are done."""
    _run(plan, "one", phase, as_json)


@plan.command("skip")
@plan_argument
@click.option("--reason", metavar="REASON", default="", help="Why; the closing audit needs one. It goes on record.")
@json_flag
def skip(plan: str, reason: str, as_json: bool) -> None:
    """Go on without the phase of PLAN that is in progress or failed."""
    from thoughtforge.cli.plan_render import print_change
    from thoughtforge.service.plan_commands import skip

    app, plan_id = _found(plan)
    print_change(skip(app, plan_id, reason=reason), as_json=as_json)


@plan.command("retry")
@plan_argument
@json_flag
def retry(plan: str, as_json: bool) -> None:
    """Revert the failed phase of PLAN and run it again. Files that you touched since stay."""
    from thoughtforge.cli.plan_render import run_plan
    from thoughtforge.service.plan_commands import retry

    app, plan_id = _found(plan)
    retry(app, plan_id)
    run_plan(app, plan_id, as_json=as_json)
