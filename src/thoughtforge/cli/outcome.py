"""Tell how a run ended: the same facts as text or as one object, and the exit code."""

from __future__ import annotations

from typing import Any

import click

from thoughtforge import views
from thoughtforge.cli.ends import Leave, print_json
from thoughtforge.cli.progress import money
from thoughtforge.kernel.model import Question
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason
from thoughtforge.service.app import App
from thoughtforge.service.run import Ended


def tell(app: App, ended: Ended, *, as_json: bool, more: str = "") -> None:
    """Print the end of a run and leave; `more` is what else was done, such as the address of a pull request."""
    reason, state = ended.rest.reason, ended.state
    code = STOPS[reason].exit_code
    if as_json:
        print_json({"ok": code == 0, "exit_code": code, **_data(app, ended), "pull_request": more or None})
    else:
        _text(app, state, reason, ended.rest.detail)
        if more:
            click.echo(f"  pull request: {more}")
    raise Leave(code)


def _data(app: App, ended: Ended) -> dict[str, Any]:
    reason, state = ended.rest.reason, ended.state
    task = state.the_task()
    return {
        **views.summary(state),
        "reason": str(reason),
        "detail": ended.rest.detail or None,
        "next_action": views.what_to_do(reason, task),
        "deliverable": _deliverable(app, state),
        "escalations": [item.model_dump(mode="json") for item in state.escalations.values()],
        "open_issues": [issue for name in state.stages for issue in state.stage(name).blocking()],
        "branch": state.branch or None,
        "refs": dict(state.refs),
        "warnings": list(state.warnings),
        "folder": str(app.store.local(task.id)),
    }


def _deliverable(app: App, state: State) -> dict[str, str] | None:
    if state.exited is None:
        return None
    folder = app.store.local(state.the_task().id) / "artifacts" / state.exited.stage
    path = folder / f"{state.exited.deliverable}_final.yaml"
    return {"contract": state.exited.deliverable, "path": str(path), "digest": state.exited.artifact}


def _text(app: App, state: State, reason: str, detail: str) -> None:
    task = state.the_task()
    label = f" [{', '.join(task.labels)}]" if task.labels else ""
    click.echo(f"\n{task.id}{label}: {STOPS[reason].status} ({reason}){f': {detail}' if detail else ''}")
    deliverable = _deliverable(app, state)
    if deliverable:
        click.echo(f"  {deliverable['contract']}: {deliverable['path']}")
    for ref, commit in state.refs.items():
        click.echo(f"  {ref.removeprefix('refs/heads/')} at {commit[:12]}")
    for escalation in state.escalations.values():
        click.echo(f"\n  {escalation.id} ({escalation.stage}, {escalation.reason}): {escalation.summary}")
        for question in escalation.questions:
            _question(question)
    if state.awaiting:
        click.echo(f"  waits for you: {state.awaiting[0]}, version {state.awaiting[1]}")
    click.echo(f"  {state.used.steps} steps · {state.used.tokens:,} tokens · {money(state)}")
    click.echo(f"  → {views.what_to_do(reason, task)}")
    if reason is StopReason.done and state.refs:
        click.echo(f"  → Take it: thoughtforge apply {task.id}; or look first: thoughtforge diff {task.id}")


def _question(question: Question) -> None:
    text = question.text.replace("\n", "\n      ")
    click.echo(f"    {question.id} ({question.impact}) {text}")
    if question.proposal:
        click.echo(f"      the agent proposes: {question.proposal}")
