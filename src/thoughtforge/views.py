"""The read side: a state and its records → plain values for people and scripts. Nothing is rendered here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed, CallStarted
from thoughtforge.catalog import LIBRARY
from thoughtforge.kernel import events as e
from thoughtforge.kernel.model import Task
from thoughtforge.kernel.state import StageState, State

THINK = "think"
STOPS_FILE = LIBRARY / "stops.yaml"


@cache
def stops() -> dict[str, Any]:
    """The table of stops as its file has it: what people read of each reason, and what may be done with a thought."""
    import yaml

    data: dict[str, Any] = yaml.load(STOPS_FILE.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return data


def summary(state: State) -> dict[str, Any]:
    """One task in a line or two."""
    task = state.the_task()
    reason = state.reason()
    current = _current(state)
    return {
        "task": task.id,
        "request": task.request[:200],
        "goal": task.goal,
        "repository": task.repository,
        "state": str(state.status()),
        "reason": str(reason) if reason else None,
        "detail": state.stop_detail or None,
        "next_action": next_action(state),
        "stage": current,
        "progress": progress(state),
        "started_at": task.created_at,
        "last_activity": state.time,
        "wall_seconds": round(state.used.wall_seconds, 1),
        "last_action": state.last_action or None,
        "waiting": _waiting(state),
        "labels": list(task.labels),
        "cost": cost(state),
    }


def next_action(state: State) -> str | None:
    """What a person can do about a task that rests: one sentence for status, notices and refusals, or None."""
    reason = state.reason()
    return None if reason is None else what_to_do(reason, state.the_task())


def what_to_do(reason: str, task: Task) -> str:
    """What a person can do about a reason to rest."""
    row = stops()["stops"][reason]
    text: str = row.get(THINK, row["next"]) if task.goal == THINK else row["next"]
    return text.format(task=task.id)


def progress(state: State) -> float:
    """How much of the pipeline is behind us, by stages."""
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


def cost(state: State) -> dict[str, Any]:
    """What was used. `usd` is a sum of known prices; `usd_unknown_calls` says how many calls it leaves out."""
    used, caps = state.used, state.caps
    return {
        "steps": used.steps,
        "tokens": used.tokens,
        "input_tokens_reported": used.input_tokens,
        "output_tokens_reported": used.output_tokens,
        "calls_with_estimated_tokens": used.estimated_calls,
        "usd": round(used.usd, 6),
        "usd_unknown_calls": used.unknown_usd_calls,
        "caps": caps.model_dump(),
    }


def status(state: State) -> dict[str, Any]:
    """One task in full: the summary, each stage, what waits for a person."""
    task = state.the_task()
    return {
        **summary(state),
        "goal_cause": task.goal_cause,
        "base_commit": task.base_commit,
        "pipeline": task.pipeline.name,
        "exit_stage": task.exit_stage,
        "stages": {stage.name: stage_view(state.stage(stage.name)) for stage in task.pipeline.stages},
        "external_inputs": [item.model_dump() for item in task.inputs],
        "escalations": [item.model_dump(mode="json") for item in state.escalations.values()],
        "hints": list(state.hints),
        "warnings": list(state.warnings),
        "branch": state.branch or None,
        "refs": dict(state.refs),
        "measured": {what: {"outcome": m.outcome, "summary": m.summary} for what, m in state.measured.items()},
        "exit": state.exited.model_dump(exclude={"version", "message", "type"}) if state.exited else None,
        "continuation": task.pipeline.continuation.model_dump(mode="json") if task.pipeline.continuation else None,
        "events": state.seq,
    }


def stage_view(stage: StageState) -> dict[str, Any]:
    """One stage of a task."""
    verdict = stage.verdict
    return {
        "status": stage.status,
        "round": stage.round,
        "artifact": stage.artifact,
        "versions": len(stage.versions),
        "verdict": verdict.outcome if verdict else None,
        "measured": dict(verdict.measured) if verdict else {},
        "problems": [f"{p.where}: {p.what}" for p in verdict.problems] if verdict else [],
        "blocking": list(stage.blocking()),
        "advisory": list(stage.advisory),
        "accepted_by_person": stage.overridden,
        "iteration": stage.iteration,
        "skipped": stage.skipped or None,
        "exit": [c.model_dump() for c in stage.measured["exit"].criteria] if "exit" in stage.measured else [],
        "commit": stage.commit or None,
        "steps": stage.total_steps,
        "started_at": stage.started_at or None,
        "ended_at": stage.ended_at or None,
    }


def steps(records: Iterable[e.Record]) -> list[dict[str, Any]]:
    """Every model call of a task with what it was for, what it used and what was done with it."""
    found: dict[str, dict[str, Any]] = {}
    by_step: dict[int, dict[str, Any]] = {}
    for record in records:
        event = record.event
        if isinstance(event, CallStarted):
            row = _call_row(record, event)
            found[event.call] = by_step[event.step] = row
        elif isinstance(event, CallEnded) and event.call in found:
            found[event.call] |= {
                "result": "ok",
                "reply": event.reply,
                "model": event.model,
                "prompt_tokens": event.usage.input_tokens,
                "completion_tokens": event.usage.output_tokens,
                "usd": event.usd,
                "seconds": event.seconds,
            }
        elif isinstance(event, CallFailed) and event.call in found:
            found[event.call] |= {"result": f"failed: {event.kind}", "error": event.error}
        elif isinstance(event, ActionTaken) and event.step in by_step:
            action = event.model_dump(include={"tool", "params", "outcome", "summary", "output", "note"})
            by_step[event.step]["action"] = action
    return list(found.values())


def _call_row(record: e.Record, event: CallStarted) -> dict[str, Any]:
    return {
        "step": event.step,
        "time": record.time,
        "stage": event.stage,
        "round": event.round,
        "role": event.role,
        "role_version": event.role_version,
        "mode": event.mode,
        "provider": event.provider,
        "model": event.model,
        "context_tokens": event.context_tokens,
        "parts": dict(event.parts),
        "system": event.system,
        "context": event.context,
        "result": "no end on record",
        "reserved": event.reserved.model_dump(),
    }
