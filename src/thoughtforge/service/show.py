"""What people look at: one task in full, open questions, the result."""

from __future__ import annotations

import json
from typing import Any

from thoughtforge import views
from thoughtforge.kernel.events import EscalationRaised
from thoughtforge.kernel.state import State
from thoughtforge.service.app import App
from thoughtforge.service.messages import load_state
from thoughtforge.store.blobs import FileBlobs
from thoughtforge.store.home import Home
from thoughtforge.store.index import summaries
from thoughtforge.store.lease import holder
from thoughtforge.store.log import read_records


def task_status(home: Home, task_id: str) -> dict[str, Any]:
    """One task in full, with who runs it now."""
    folder = home.folder(task_id)
    state = load_state(folder)
    runner = holder(folder)
    data = {**views.status(state), "runner": runner}
    if state.active and runner is None and state.reason() is None:
        data["next_action"] = f"Its process is gone; go on: thoughtforge continue {task_id}"
    return data


def open_escalations(app: App) -> list[dict[str, Any]]:
    """Every open question with its task, oldest first."""
    rows: list[dict[str, Any]] = []
    for row in summaries(app.home):
        if row["state"] != "needs_person":
            continue
        folder = app.home.folder(row["task"])
        state = load_state(folder)
        raised = {
            record.event.escalation.id: record.time
            for record in read_records(folder)
            if isinstance(record.event, EscalationRaised)
        }
        for escalation in state.escalations.values():
            data = escalation.model_dump(mode="json")
            rows.append({"task": row["task"], "status": "pending", "created_at": raised[escalation.id], **data})
    return rows


def result(app: App, task_id: str) -> dict[str, Any]:
    """The accepted artifacts of a task, by contract."""
    folder = app.home.folder(task_id)
    state = load_state(folder)
    blobs = FileBlobs(folder, masker=app.masker)
    return {contract: _content(app, blobs, digest) for contract, digest in _shown(state).items()}


def _shown(state: State) -> dict[str, str]:
    """Accepted artifacts, and the newest version of what is still being worked on."""
    found = {
        stage.output_contract: mine.artifact
        for stage in state.the_task().pipeline.stages
        if (mine := state.stage(stage.name)).artifact
    }
    return {**state.externals, **{k: v for k, v in found.items() if v}}


def _content(app: App, blobs: FileBlobs, digest: str) -> Any:
    text = app.masker.text(blobs.get(digest).decode("utf-8", "replace"))
    try:
        return json.loads(text)
    except ValueError:
        return text
