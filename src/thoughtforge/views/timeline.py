"""The calls of a task in order, from its records: what each was for, what it used, and what that adds up to."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtforge.calls.events import ActionTaken, CallEnded, CallFailed, CallStarted
from thoughtforge.kernel.events import Event, Record, Unknown
from thoughtforge.kernel.model import JsonObject
from thoughtforge.views.values import CallContext, CostRow, CutBlock, StageContext, StepView


def steps(records: Iterable[Record]) -> tuple[StepView, ...]:
    """Every model call of a task."""
    found: dict[str, StepView] = {}
    by_step: dict[int, str] = {}
    for record in records:
        event = record.event
        if isinstance(event, CallStarted):
            by_step[event.step] = event.call
            found[event.call] = _begun(record, event)
        elif isinstance(event, ActionTaken):
            call = by_step.get(event.step)
            if call is not None:
                action = event.model_dump(include={"tool", "params", "outcome", "summary", "output", "note"})
                found[call] = found[call]._replace(action=action)
        elif isinstance(event, CallEnded | CallFailed) and event.call in found:
            found[event.call] = _ended(found[event.call], event)
    return tuple(found.values())


def _begun(record: Record, event: CallStarted) -> StepView:
    return StepView(
        step=event.step,
        time=record.time,
        stage=event.stage,
        round=event.round,
        role=event.role,
        role_version=event.role_version,
        mode=event.mode,
        provider=event.provider,
        model=event.model,
        context_tokens=event.context_tokens,
        parts=dict(event.parts),
        system=event.system,
        context=event.context,
        result="no end on record",
        reserved=event.reserved.model_dump(),
        blocks=dict(event.blocks),
        cut=dict(event.cut),
        room=event.room,
    )


def _ended(row: StepView, event: Event) -> StepView:
    if isinstance(event, CallFailed):
        return row._replace(result=f"failed: {event.kind}", error=event.error)
    if not isinstance(event, CallEnded):
        return row
    return row._replace(
        result="ok",
        reply=event.reply,
        model=event.model,
        prompt_tokens=event.usage.input_tokens,
        completion_tokens=event.usage.output_tokens,
        usd=event.usd,
        seconds=event.seconds,
        cached_tokens=event.usage.cached_tokens,
    )


def cost_rows(rows: Iterable[StepView]) -> tuple[CostRow, ...]:
    """What the calls used, by stage, role and model; unknown prices are counted, never added as nothing."""
    groups: dict[tuple[str, str, str], CostRow] = {}
    for row in rows:
        key = (row.stage, row.role, row.model)
        groups[key] = _plus(groups.get(key) or CostRow(*key, 0, 0, 0, 0, 0, 0, 0.0, 0), row)
    return tuple(groups.values())


def _plus(group: CostRow, row: StepView) -> CostRow:
    return group._replace(
        calls=group.calls + 1,
        failed_calls=group.failed_calls + (row.result != "ok"),
        prompt_tokens=group.prompt_tokens + (row.prompt_tokens or 0),
        prompt_tokens_unknown_calls=group.prompt_tokens_unknown_calls + (row.prompt_tokens is None),
        completion_tokens=group.completion_tokens + (row.completion_tokens or 0),
        completion_tokens_unknown_calls=group.completion_tokens_unknown_calls + (row.completion_tokens is None),
        usd=round(group.usd + (row.usd or 0.0), 6),
        usd_unknown_calls=group.usd_unknown_calls + _unpriced(row),
        cached_tokens=group.cached_tokens + (row.cached_tokens or 0),
        cached_tokens_unknown_calls=group.cached_tokens_unknown_calls + (row.cached_tokens is None),
    )


def _unpriced(row: StepView) -> bool:
    """Whether nobody knows the price; that of a call without an answer is known when its reservation has one."""
    return row.usd is None and (row.result == "ok" or row.reserved.get("usd") is None)


def contexts(rows: Iterable[StepView]) -> tuple[CallContext, ...]:
    """What every call was shown."""
    return tuple(
        CallContext(
            step=row.step,
            stage=row.stage,
            role=row.role,
            mode=row.mode,
            tokens=row.context_tokens,
            room=row.room,
            left=row.room - row.context_tokens if row.room else None,
            parts=row.parts,
            blocks=row.blocks,
            cut={title: CutBlock(row.blocks.get(title, 0), whole) for title, whole in row.cut.items()},
        )
        for row in rows
    )


def stage_contexts(calls: Iterable[CallContext]) -> tuple[StageContext, ...]:
    """The totals by stage, in the order the stages came."""
    groups: dict[str, StageContext] = {}
    for call in calls:
        group = groups.get(call.stage) or StageContext(call.stage, 0, 0, 0, 0, 0)
        groups[call.stage] = group._replace(
            calls=group.calls + 1,
            tokens=group.tokens + call.tokens,
            cut_calls=group.cut_calls + bool(call.cut),
            largest=max(group.largest, call.tokens),
            left=group.left + (call.left or 0),
        )
    return tuple(groups.values())


def event_rows(records: Iterable[Record]) -> list[JsonObject]:
    """The whole record as plain data."""
    found = []
    for record in records:
        event = record.event
        data = event.data if isinstance(event, Unknown) else event.model_dump(mode="json")
        found.append({"seq": record.seq, "time": record.time, **data})
    return found
