"""Where a thought stands, for a person and for a script."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click

from thoughtforge import views
from thoughtforge.intake.phases import halt_reason, phase
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason
from thoughtforge.service.acting import conversation_of
from thoughtforge.service.app import App
from thoughtforge.service.thought_ending import artifacts_of, deliverable, ending, questions, unsaid

NEEDS_PERSON = 3


class Standing(NamedTuple):
    """Everything there is to tell."""

    code: int
    data: dict[str, Any]
    text: str
    plan: Path | None


def standing(app: App, task_id: str) -> Standing:
    """Read from the record and the project."""
    task = app.store.peek(task_id)
    state = task.state
    project = app.home.project(task_id)
    # the project lies beside the record, also when the home has moved since
    state = replace(state, task=state.the_task().model_copy(update={"repository": str(project)}))
    artifacts = artifacts_of(state, task.blobs)
    asked, missing, ended = questions(artifacts), unsaid(artifacts), ending(state, artifacts)
    at, reason = phase(state), state.reason()
    said = [m for m in conversation_of(app, task_id).messages if m.role == "ai"]
    plan = _file(project / "docs" / "plan.md")
    data = {
        "task": task_id,
        "phase": at.name,
        "halted_in": at.halted_in,
        "halt_reason": halt_reason(state),
        "detail": state.stop_detail or None,
        "labels": list(state.the_task().labels),
        "project": str(project),
        "title": artifacts["intent"]["title"] if "intent" in artifacts else None,
        "deliverable_type": artifacts["intent"]["deliverable_type"] if "intent" in artifacts else None,
        "documents": [str(path) for path in sorted((project / "docs").glob("*.md"))],
        "deliverable": deliverable(state, artifacts),
        "summary": ended.how if ended else None,
        "polished": artifacts.get("polished"),
        "questions": asked,
        "unsaid": missing,
        "message": said[-1].text if said else None,
        "warnings": list(state.warnings),
        "next_action": views.next_action(state) or f"Go on: thoughtforge resume {task_id}",
        "cost": views.cost(state),
    }
    code = _code(state, [*asked, *missing])
    return Standing(code, data, said[-1].text if said and reason is not StopReason.done else "", plan)


def _code(state: State, left: list[Any]) -> int:
    """Done is done only when nothing is left for a person to say."""
    reason = state.reason()
    if reason is StopReason.done:
        return NEEDS_PERSON if left else 0
    return STOPS[reason].exit_code if reason else NEEDS_PERSON


def _file(path: Path) -> Path | None:
    return path if path.is_file() else None


def _show_ending(data: dict[str, Any]) -> None:
    """What it came to, where it lies, and what of the last review is still open."""
    click.echo(f"  {data['summary']}")
    click.echo(f"  {data['deliverable_type']}: {data['deliverable']}")
    left = data["polished"]["open"] if data["polished"] else []
    if left:
        click.echo("  found and not fixed:")
    for line in left:
        click.echo(f"    {line}")


def show(now: Standing, copied: str | None, runner: str | None) -> None:
    """Print it."""
    data = now.data
    if now.text:
        click.echo(f"\n{now.text}")
    why = f" in {data['halted_in']} ({data['halt_reason']})" if data["halted_in"] else ""
    label = f" [{', '.join(data['labels'])}]" if data["labels"] else ""
    detail = f": {data['detail']}" if data["detail"] else ""
    click.echo(f"\n{data['task']}{label}: {data['phase']}{why}{detail}")
    if data["summary"]:
        _show_ending(data)
    for path in data["documents"]:
        if path != data["deliverable"]:
            click.echo(f"  {path}")
    if data["questions"]:
        click.echo("  still open:")
    for question in data["questions"]:
        click.echo(f"    {question['id']}: {question['text']}")
    if data["unsaid"]:
        click.echo(f"  not said yet: {', '.join(data['unsaid'])}")
    if copied:
        click.echo(f"  copied to {copied}")
    if runner:
        click.echo(f"  {runner} takes it up")
    click.echo(f"  → {data['next_action']}")
