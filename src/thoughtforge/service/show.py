"""What a person can look at: the status, stages, steps, cost, questions and result of a task."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import EscalationRaised
from thoughtforge.kernel.model import JsonObject
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.kernel.stops import STOPS, StopReason
from thoughtforge.polish.evaluate import GuardRuling
from thoughtforge.polish.guards import evaluate
from thoughtforge.polish.log_text import read_history
from thoughtforge.polish.profile import find
from thoughtforge.service.app import App
from thoughtforge.service.halted import halt_view
from thoughtforge.service.library import Definitions
from thoughtforge.service.notify import artifacts_of, deliverable, ending, questions, unsaid
from thoughtforge.service.open_task import conversation_view
from thoughtforge.service.run import RunResult
from thoughtforge.store.port import Reader, Store
from thoughtforge.think.conversation import CONVERSATION, resolved
from thoughtforge.think.conversation import Conversation as Said
from thoughtforge.think.copying import COPY_TO
from thoughtforge.think.said_since import answered_since
from thoughtforge.views import timeline
from thoughtforge.views.phases import phase
from thoughtforge.views.tasks import cost, live, run_end, stage_view, thought_status
from thoughtforge.views.values import (
    ContextReport,
    ConversationView,
    CostReport,
    EscalationView,
    LiveTask,
    RunEnd,
    StageView,
    StepText,
    StepView,
    ThoughtReport,
)
from thoughtforge.workspaces.workspace import FOLDER


class HistoryRuling(NamedTuple):
    """What the guards say of a history, and the profile they belong to."""

    ruling: GuardRuling
    profile: str


def evaluate_history(app: App, known: Definitions, text: str, *, source: str, profile: str | None) -> HistoryRuling:
    """Ask the guards of a profile, or of the one the configuration names."""
    settings = app.loaded.config.polish
    chosen = find(known.catalog, profile or settings.profile)
    return HistoryRuling(evaluate(read_history(text, source=source), chosen, settings), chosen.name)


NEEDS_PERSON = 3
TALKS = ("brain_dump", "distilling", "human_review", "spec_building", "done")
"""Phases in which the newest message is shown, whatever phase it is of."""
ASKING = ("intent", "proposal")
"""What holds questions; the newest version says what is open now, confirmed or not."""


def is_thought(app: App, task_id: str) -> bool:
    """Whether the task has a project of its own; a damaged record does not hide that."""
    return app.home.project(task_id).is_dir()


def task_status(store: Store, task_id: str) -> LiveTask:
    """One task in full, with who runs it now."""
    task = store.peek(task_id)
    return live(task.state, task.holder())


def stage_status(store: Store, task_id: str, stage: str) -> StageView:
    """One stage of a task in full."""
    state = store.peek(task_id).state
    names = [one.name for one in state.the_task().pipeline.stages]
    if stage not in names:
        raise UserError(f"there is no stage {stage}", do=f"Stages: {', '.join(names)}")
    return stage_view(state.stage(stage))


def end_of(app: App, ended: RunResult) -> RunEnd:
    """How a run ended."""
    folder = app.store.local(ended.state.the_task().id)
    return run_end(ended.state, folder=folder, reason=ended.rest.reason, detail=ended.rest.detail)


def steps(task: Reader) -> tuple[StepView, ...]:
    """Every model call of a task, in order."""
    return timeline.steps(task.read())


def step(app: App, task_id: str, number: int) -> StepText:
    """One step with the exact text that was sent and what came back, secrets masked."""
    task = app.store.peek(task_id)
    rows = steps(task)
    row = next((row for row in rows if row.step == number), None)
    if row is None:
        do = f"Steps: 1 to {len(rows)}" if rows else "The task has made no step yet."
        raise UserError(f"there is no step {number}", do=do)
    output = (row.action or {}).get("output")
    parts = {"system": row.system, "context": row.context, "reply": row.reply, "output": output}
    text = {key: app.masker.text(_read(task.blobs, digest)) for key, digest in parts.items() if digest}
    return StepText(row, text)


def events(task: Reader) -> list[JsonObject]:
    """The whole record as plain data."""
    return timeline.event_rows(task.read())


def cost_report(app: App, task_id: str) -> CostReport:
    """What a task used, by stage, role and model."""
    task = app.store.peek(task_id)
    return CostReport(task_id, timeline.cost_rows(steps(task)), cost(task.state))


def context_report(app: App, task_id: str) -> ContextReport:
    """What every call of a task was shown, and the totals by stage."""
    calls = timeline.contexts(steps(app.store.peek(task_id)))
    return ContextReport(task_id, calls, timeline.stage_contexts(calls))


def open_escalations(app: App) -> tuple[EscalationView, ...]:
    """Every open question with its task, oldest first."""
    rows: list[EscalationView] = []
    for row in app.store.summaries():
        if row["state"] != "needs_person":
            continue
        task = app.store.peek(row["task"])
        raised = {
            record.event.escalation.id: record.time
            for record in task.read()
            if isinstance(record.event, EscalationRaised)
        }
        rows += [
            EscalationView(row["task"], "pending", raised[one.id], one.model_dump(mode="json"))
            for one in task.state.escalations.values()
        ]
    return tuple(rows)


def result(app: App, task_id: str, only: str | None = None) -> dict[str, Any]:
    """The artifacts of a task by contract, or only one of them."""
    task = app.store.peek(task_id)
    digests = _shown(task.state)
    if only is not None and only not in digests:
        raise UserError(f"task {task_id} has no {only}", do=f"It has: {', '.join(digests) or 'nothing yet'}")
    return {
        contract: _content(app, task.blobs, digest) for contract, digest in digests.items() if only in (None, contract)
    }


def finished_plan(app: App, task_id: str) -> str:
    """The plan of a thought that is done; empty for everything else."""
    state = app.store.peek(task_id).state
    path = app.home.project(task_id) / "docs" / "plan.md"
    done = state.reason() == StopReason.done and is_thought(app, task_id)
    return path.read_text(encoding="utf-8", errors="replace") if done and path.is_file() else ""


def _shown(state: State) -> dict[str, str]:
    """Accepted artifacts, and the newest version of what is still in work."""
    found = {
        stage.output_contract: mine.artifact
        for stage in state.the_task().pipeline.stages
        if (mine := state.stage(stage.name)).artifact
    }
    return {**state.externals, **{k: v for k, v in found.items() if v}}


def _content(app: App, blobs: Blobs, digest: str) -> Any:
    text = app.masker.text(_read(blobs, digest))
    try:
        return json.loads(text)
    except ValueError:
        return text


def _read(blobs: Blobs, digest: str) -> str:
    return blobs.get(digest).decode("utf-8", "replace")


def conversation(app: App, task_id: str) -> ConversationView:
    """Everything a person and a task have said to each other."""
    return conversation_view(_conversation(app.store.peek(task_id)))


def _conversation(task: Reader) -> Said:
    return resolved(task.snapshot.of(CONVERSATION), lambda digest: _read(task.blobs, digest))


def thought_report(app: App, task_id: str) -> ThoughtReport:
    """Everything there is to tell of a thought, from its record and its project."""
    task = app.store.peek(task_id)
    project = app.home.project(task_id)
    # the project lies beside the record, also when the home has moved since
    state = replace(task.state, task=task.state.the_task().model_copy(update={"repository": str(project)}))
    artifacts = artifacts_of(state, task.blobs)
    newest = {name: json.loads(_read(task.blobs, digest)) for name, digest in _shown(state).items() if name in ASKING}
    since = answered_since(_conversation(task))
    asked, missing = questions({**artifacts, **newest}, since), unsaid(artifacts)
    ended = ending(state, artifacts, since)
    halted = halt_view(task, project, workspace=app.store.local(task_id) / FOLDER)
    place = phase(state).place
    said = _said(_conversation(task), place, halted=halted is not None)
    plan = project / "docs" / "plan.md"
    intent = artifacts.get("intent")
    status = thought_status(state)
    return ThoughtReport(
        overview=status._replace(deliverable_type=intent["deliverable_type"] if intent else None),
        exit_code=_exit_code(state, [*asked, *missing]),
        project=str(project),
        title=intent["title"] if intent else None,
        documents=tuple(str(path) for path in sorted((project / "docs").glob("*.md"))),
        deliverable=deliverable(state, artifacts),
        summary=ended.how if ended else None,
        polished=artifacts.get("polished"),
        questions=tuple(asked),
        unsaid=tuple(missing),
        message=said[-1] if said else None,
        warnings=tuple(state.warnings),
        plan=_file(plan),
        halted=halted,
        copy_to=task.snapshot.of(COPY_TO),
    )


def _said(known: Said, place: str, *, halted: bool) -> list[str]:
    """What the engine and agents said about where the thought is; of a halted one what nobody has answered."""
    after = max((one.seq for one in known.actions), default=0) if halted else -1
    every = place in TALKS and not halted  # what was said before the build or polishing began is not about it
    return [m.text for m in known.messages if m.role == "ai" and (every or m.phase == place) and m.seq > after]


def _exit_code(state: State, left: list[Any]) -> int:
    """Done is done only when nothing is left for a person to say."""
    reason = state.reason()
    if reason is StopReason.done:
        return NEEDS_PERSON if left else 0
    return STOPS[reason].exit_code if reason else NEEDS_PERSON


def _file(path: Path) -> str | None:
    return str(path) if path.is_file() else None
