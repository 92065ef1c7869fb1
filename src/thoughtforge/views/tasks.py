"""One task as plain values, from its state: the summary, the details, each stage, the cost, how a run ended."""

from __future__ import annotations

from pathlib import Path

from thoughtforge.calls.spending import reserved
from thoughtforge.definitions.drivers import is_thought
from thoughtforge.kernel.state import StageState, State
from thoughtforge.kernel.stops import STOPS
from thoughtforge.views.next_actions import next_actions, sentence, while_running
from thoughtforge.views.phases import Phase, deliverable_type, halt_reason, phase, title
from thoughtforge.views.values import (
    Cost,
    DeliverableFile,
    LiveTask,
    RunEnd,
    StageView,
    TaskDetails,
    TaskSummary,
    ThoughtStatus,
)

REQUEST_SHOWN = 200


def summary(state: State) -> TaskSummary:
    """One task in a line or two."""
    task = state.the_task()
    reason = state.reason()
    actions = next_actions(state)
    at = phase(state) if is_thought(task) else None
    return TaskSummary(
        task=task.id,
        request=task.request[:REQUEST_SHOWN],
        goal=task.goal,
        repository=task.repository,
        state=str(state.status()),
        reason=str(reason) if reason else None,
        detail=state.stop_detail or None,
        next_action=sentence(actions),
        stage=_current(state),
        progress=progress(state),
        started_at=task.created_at,
        last_activity=state.time,
        wall_seconds=round(state.used.wall_seconds, 1),
        last_action=state.last_action or None,
        waiting=_waiting(state),
        labels=tuple(task.labels),
        cost=cost(state),
        next_actions=actions,
        **_phase(state, at),
    )


def _phase(state: State, at: Phase | None) -> dict[str, str | None]:
    return {} if at is None else {"phase": at.name, "halted_in": at.halted_in, "halt_reason": halt_reason(state)}


def progress(state: State) -> float:
    """How much of the pipeline is done, counted in stages."""
    names = stages_until_exit(state)
    done = sum(state.stage(name).status in ("passed", "skipped") for name in names)
    return round(done / len(names), 2) if names else 0.0


def stages_until_exit(state: State) -> list[str]:
    """The stages this task goes through."""
    task = state.the_task()
    names = [stage.name for stage in task.pipeline.stages]
    return names[: names.index(task.exit_stage) + 1]


def _current(state: State) -> str | None:
    if state.exited:
        return state.exited.stage
    names = stages_until_exit(state)
    return next((name for name in names if state.stage(name).status not in ("passed", "skipped")), names[-1])


def _waiting(state: State) -> str | None:
    for escalation in state.escalations.values():
        return f"{escalation.id}: {escalation.summary}"
    return f"your decision on {state.awaiting[0]}, version {state.awaiting[1]}" if state.awaiting else None


def cost(state: State) -> Cost:
    """What the task used."""
    used, held = state.used, reserved(state)
    return Cost(
        steps=used.steps,
        tokens=used.tokens,
        input_tokens_reported=used.input_tokens,
        output_tokens_reported=used.output_tokens,
        calls_with_estimated_tokens=used.estimated_calls,
        usd=round(used.usd, 6),
        usd_unknown_calls=used.unknown_usd_calls,
        caps=state.caps.model_dump(),
        reserved_tokens=held.tokens,
        reserved_usd=round(held.usd, 6),
    )


def depth(state: State) -> dict[str, str]:
    """How deep the run goes, and why."""
    told = state.measured.get("depth")
    if told is None:
        return {"depth": "full", "reason": "every stage hands in by itself"}
    return {"depth": str(told.facts["depth"]), "reason": told.summary}


def began(state: State) -> str:
    """How deep the run was when it began."""
    told = state.measured.get("depth")
    return "full" if told is None else str(told.facts["began"])


def details(state: State) -> TaskDetails:
    """One task in full."""
    task = state.the_task()
    return TaskDetails(
        overview=summary(state),
        goal_cause=task.goal_cause,
        base_commit=task.base_commit,
        pipeline=task.pipeline.name,
        exit_stage=task.exit_stage,
        depth=depth(state),
        stages={stage.name: stage_view(state.stage(stage.name)) for stage in task.pipeline.stages},
        external_inputs=tuple(item.model_dump() for item in task.inputs),
        escalations=tuple(item.model_dump(mode="json") for item in state.escalations.values()),
        hints=tuple(state.hints),
        warnings=tuple(state.warnings),
        branch=state.branch or None,
        refs=dict(state.refs),
        measured={
            what: {"outcome": m.outcome, "summary": m.summary} for what, m in state.measured.items() if what != "depth"
        },
        exit=state.exited.model_dump(exclude={"version", "message", "type"}) if state.exited else None,
        continuation=task.pipeline.continuation.model_dump(mode="json") if task.pipeline.continuation else None,
        events=state.seq,
    )


def live(state: State, runner: str | None) -> LiveTask:
    """One task in full with who runs it now."""
    full, actions = details(state), while_running(state, runner)
    short = full.overview._replace(next_actions=actions, next_action=sentence(actions))
    return LiveTask(full._replace(overview=short), runner)


def stage_view(stage: StageState) -> StageView:
    """One stage of a task."""
    verdict = stage.verdict
    return StageView(
        status=stage.status,
        round=stage.round,
        artifact=stage.artifact,
        versions=len(stage.versions),
        verdict=verdict.outcome if verdict else None,
        measured=dict(verdict.measured) if verdict else {},
        problems=tuple(f"{p.where}: {p.what}" for p in verdict.problems) if verdict else (),
        blocking=tuple(stage.blocking()),
        advisory=tuple(stage.advisory),
        accepted_by_person=stage.overridden,
        iteration=stage.iteration,
        skipped=stage.skipped or None,
        exit=tuple(c.model_dump() for c in stage.measured["exit"].criteria) if "exit" in stage.measured else (),
        commit=stage.commit or None,
        steps=stage.total_steps,
        started_at=stage.started_at or None,
        ended_at=stage.ended_at or None,
    )


def run_end(state: State, *, folder: Path, reason: str, detail: str) -> RunEnd:
    """How a run ended, for the reason it gave: a full disk cannot put its own on record."""
    actions = next_actions(state, reason)
    short = summary(state)._replace(
        state=str(STOPS[reason].status),
        reason=str(reason),
        detail=detail or None,
        next_actions=actions,
        next_action=sentence(actions),
    )
    return RunEnd(
        overview=short,
        exit_code=STOPS[reason].exit_code,
        deliverable=_deliverable(state, folder),
        escalations=tuple(item.model_dump(mode="json") for item in state.escalations.values()),
        open_issues=tuple(issue for name in state.stages for issue in state.stage(name).blocking()),
        branch=state.branch or None,
        refs=dict(state.refs),
        warnings=tuple(state.warnings),
        folder=str(folder),
        awaiting=state.awaiting,
        advice=tuple(f"{name} {line}" for name in state.stages for line in state.stage(name).advisory),
    )


def _deliverable(state: State, folder: Path) -> DeliverableFile | None:
    if state.exited is None:
        return None
    path = folder / "artifacts" / state.exited.stage / f"{state.exited.deliverable}_final.yaml"
    return DeliverableFile(state.exited.deliverable, str(path), state.exited.artifact)


def thought_status(state: State) -> ThoughtStatus:
    """Where a thought stands."""
    task = state.the_task()
    return ThoughtStatus(
        overview=summary(state),
        project_name=title(state),
        deliverable_type=deliverable_type(state),
        agent=", ".join(sorted(set(task.providers.values()))),
        created_at=task.created_at,
        updated_at=state.time,
        status=str(state.status()),
    )
