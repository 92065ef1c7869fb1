"""Print a change plan for a person, and leave with the exit code of its run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import click

from thoughtforge.cli.exit_codes import DONE, Leave, print_value

if TYPE_CHECKING:
    from thoughtforge.service.app import App
    from thoughtforge.service.plan_commands import PlanChange
    from thoughtforge.views.plans import PlanDetails, PlanSummary

PHASE_DONE = "phase_done"
"""The plan waits for the next command, and this one has done what was asked."""
OPEN = ("medium", "minor")
"""Severities that neither block nor are mere ideas."""
MOST_POINTS = 5
SIGNS = {"done": "✔", "skipped": "–", "in-progress": "◐", "pending": "○", "failed": "✘"}


def run_plan(app: App, plan_id: str, *, as_json: bool) -> NoReturn:
    """Run the plan until it stops, print where it stands, and leave."""
    from thoughtforge.cli.foreground import run_here
    from thoughtforge.service.show import end_of

    ended = run_here(app, plan_id, quiet=as_json)
    code = DONE if ended.rest.reason == PHASE_DONE else end_of(app, ended).exit_code
    leave_with_plan(app, plan_id, as_json=as_json, code=code)


def leave_with_plan(app: App, plan_id: str, *, as_json: bool, code: int = 0) -> NoReturn:
    """Print where the plan stands and leave with this exit code."""
    from thoughtforge.service.plan_show import details

    found = details(app, plan_id)
    if as_json:
        print_value(found, code=code)
    else:
        print_plan(found)
    raise Leave(code)


def print_plan(found: PlanDetails) -> None:
    """A plan in full, without its text."""
    head = found.overview
    why = f" ({found.reason})" if found.reason else ""
    click.echo(f"\n{head.plan}: {head.status}{why}: {head.title}")
    if found.detail:
        click.echo(f"  {found.detail}")
    click.echo(f"  {head.file}")
    _print_audits(found)
    for phase in found.phases_view["phases"] if found.phases_view else ():
        print_phase(phase)
    _print_tested(found)
    _print_beside(found)
    if found.branch:
        click.echo(f"  branch {found.branch}")
    click.echo(f"  {found.cost.steps} steps · {found.cost.tokens:,} tokens · {found.cost.money()}")
    for warning in found.warnings[-5:]:
        click.echo(f"  ! {warning}")
    if head.runner:
        click.echo(f"  run by {head.runner}")
    if head.next_action:
        click.echo(f"  → {head.next_action}")


def _print_beside(found: PlanDetails) -> None:
    """Tests that must still pass, and what a person allowed beside the plan."""
    if found.owed:
        click.echo(f"  tests owed: {', '.join(found.owed[:5])}")
    for one in found.deviations:
        what = f"{one['path']} in {one['phase']}, allowed" if one["path"] else f"{one['phase']} skipped"
        click.echo(f"  beside the plan: {what} by {one['by']}: {one['reason']}")


def _print_tested(found: PlanDetails) -> None:
    """What the closing audit ran, and how it stood."""
    for row in found.tested:
        how = row["outcome"].replace("_", " ")
        click.echo(f"  closing audit: {row['name']}: {how}" + (f": {row['detail']}" if row["detail"] else ""))
    points = [one for one in found.closing_findings if one["severity"] in OPEN]
    for one in points[:MOST_POINTS]:
        click.echo(f"  open after the closing audit: {_point(one)}")
    if len(points) > MOST_POINTS:
        click.echo(f"  open after the closing audit: {len(points) - MOST_POINTS} more, named in {found.overview.file}")
    if found.to_allow:
        click.echo(f"  ! {found.to_allow}")


def _print_audits(found: PlanDetails) -> None:
    """Each audit, and what the last one found."""
    for audit in found.audits:
        click.echo(f"  audit {audit.round} by {audit.auditor}: {audit.outcome.replace('_', ' ')} ({audit.severity})")
    for point in found.audits[-1].findings if found.audits else ():
        click.echo(f"    {_point(point)}")
    if found.edited_since_audit:
        click.echo("  edited since its audit")


def _point(point: Mapping[str, Any]) -> str:
    """A finding in a line."""
    place = f" ({point['location']})" if point["location"] else ""
    return f"{point['id']} {point['severity']}{place}: {point['title'] or point['description']}"


def print_phase(phase: dict[str, object]) -> None:
    """One phase in a line, and why it failed."""
    commit = f" {phase['gitCommit']}" if phase.get("gitCommit") else ""
    click.echo(f"  {SIGNS.get(str(phase['status']), '?')} {phase['id']} {phase['title']}{commit}")
    if phase.get("error"):
        click.echo(f"      {phase['error']}")


def print_change(change: PlanChange, *, as_json: bool) -> None:
    """What a command did to a plan."""
    if as_json:
        print_value(change)
        return
    click.echo(f"{change.plan}: {change.what}; it is {change.status}")
    for note in change.notes:
        click.echo(f"  - {note}")
    if change.next_action:
        click.echo(f"  → {change.next_action}")


def print_summaries(rows: tuple[PlanSummary, ...]) -> None:
    """Plans, one a line."""
    for row in rows:
        done = f"  {row.phases_done}/{row.phases} phases" if row.phases else ""
        runner = f"  run by {row.runner}" if row.runner else ""
        click.echo(f"{row.plan}  {row.status:<12}  {row.title}{done}{runner}")
    if not rows:
        click.echo('no change plan yet\n  → thoughtforge forge "What you want"')
