"""Where a thought stands, for a person and for a script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import click

from thoughtforge import views
from thoughtforge.intake.phases import halt_reason, phase
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason, next_action
from thoughtforge.service.acting import conversation_of
from thoughtforge.service.app import App
from thoughtforge.service.messages import load_state
from thoughtforge.store.blobs import FileBlobs

NEXT = {
    "distill": "Correct it: thoughtforge say {task} TEXT; go on: thoughtforge confirm {task}",
    "spec": "Change it: thoughtforge say {task} TEXT; go on: thoughtforge confirm {task}",
}
"""What can be done with a version that is shown."""
NEEDS_PERSON = 3


class Standing(NamedTuple):
    """Everything there is to tell."""

    code: int
    data: dict[str, Any]
    text: str
    plan: Path | None


def standing(app: App, task_id: str) -> Standing:
    """Read from the record and the project."""
    folder = app.home.folder(task_id)
    state, blobs = load_state(folder), FileBlobs(folder, masker=app.masker)
    project = app.home.project(task_id)
    artifacts = {name: json.loads(blobs.get(digest)) for name, digest in state.artifacts().items()}
    questions = _questions(artifacts)
    unsaid = artifacts["composition"]["open"] if "composition" in artifacts else []
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
        "deliverable": _deliverable(project, artifacts),
        "polished": artifacts.get("polished"),
        "questions": questions,
        "unsaid": unsaid,
        "message": said[-1].text if said else None,
        "warnings": list(state.warnings),
        "next_action": _next(state, task_id),
        "cost": views.cost(state),
    }
    code = _code(state, [*questions, *unsaid])
    return Standing(code, data, said[-1].text if said and reason is not StopReason.done else "", plan)


def _code(state: State, left: list[Any]) -> int:
    """Done is done only when nothing is left for a person to say."""
    reason = state.reason()
    if reason is StopReason.done:
        return NEEDS_PERSON if left else 0
    return STOPS[reason].exit_code if reason else NEEDS_PERSON


def _next(state: State, task_id: str) -> str:
    reason = state.reason()
    if state.awaiting and reason is StopReason.approval:
        return NEXT[state.awaiting[0]].format(task=task_id)
    return next_action(reason, task_id) if reason else f"Go on: thoughtforge resume {task_id}"


def _questions(artifacts: dict[str, JsonObject]) -> list[JsonObject]:
    """What nobody has settled: by the proposal once there is one, by the intent before."""
    if "proposal" in artifacts:
        return [{"id": row["id"], "text": row["question"]} for row in artifacts["proposal"]["open"]]
    intent = artifacts.get("intent", {"unknowns": [], "open_questions": []})
    return [*intent["unknowns"], *intent["open_questions"]]


def _deliverable(project: Path, artifacts: dict[str, JsonObject]) -> str | None:
    made = artifacts.get("composition")
    return str(project / made["path"]) if made else None


def _file(path: Path) -> Path | None:
    return path if path.is_file() else None


def show(now: Standing, copied: str | None, runner: str | None) -> None:
    """Print it."""
    data = now.data
    if now.text:
        click.echo(f"\n{now.text}")
    why = f" in {data['halted_in']} ({data['halt_reason']})" if data["halted_in"] else ""
    label = f" [{', '.join(data['labels'])}]" if data["labels"] else ""
    detail = f": {data['detail']}" if data["detail"] else ""
    click.echo(f"\n{data['task']}{label}: {data['phase']}{why}{detail}")
    for path in data["documents"]:
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
