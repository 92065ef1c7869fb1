"""What people look at: one task in full, open questions, the result."""

from __future__ import annotations

import json
from typing import Any

from thoughtforge import views
from thoughtforge.kernel.events import EscalationRaised
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.store.port import Store


def task_status(store: Store, task_id: str) -> dict[str, Any]:
    """One task in full, with who runs it now."""
    task = store.peek(task_id)
    state, runner = task.state, task.holder()
    data = {**views.status(state), "runner": runner}
    if state.active and runner is None and state.reason() is None:
        data["next_action"] = f"Its process is gone; go on: thoughtforge continue {task_id}"
    return data


def open_escalations(app: App) -> list[dict[str, Any]]:
    """Every open question with its task, oldest first."""
    rows: list[dict[str, Any]] = []
    for row in app.store.summaries():
        if row["state"] != "needs_person":
            continue
        task = app.store.peek(row["task"])
        raised = {
            record.event.escalation.id: record.time
            for record in task.read()
            if isinstance(record.event, EscalationRaised)
        }
        for escalation in task.state.escalations.values():
            data = escalation.model_dump(mode="json")
            rows.append({"task": row["task"], "status": "pending", "created_at": raised[escalation.id], **data})
    return rows


def result(app: App, task_id: str) -> dict[str, Any]:
    """The accepted artifacts of a task, by contract."""
    task = app.store.peek(task_id)
    return {contract: _content(app, task.blobs, digest) for contract, digest in _shown(task.state).items()}


def _shown(state: State) -> dict[str, str]:
    """Accepted artifacts, and the newest version of what is still being worked on."""
    found = {
        stage.output_contract: mine.artifact
        for stage in state.the_task().pipeline.stages
        if (mine := state.stage(stage.name)).artifact
    }
    return {**state.externals, **{k: v for k, v in found.items() if v}}


def _content(app: App, blobs: Blobs, digest: str) -> Any:
    text = app.masker.text(blobs.get(digest).decode("utf-8", "replace"))
    try:
        return json.loads(text)
    except ValueError:
        return text
