"""Look into a task's record: its steps, one step in full, and where the money went."""

from __future__ import annotations

from typing import Any

from thoughtforge import views
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import Unknown
from thoughtforge.store.port import Reader
from thoughtforge.store.secrets import Masker


def steps(task: Reader) -> list[dict[str, Any]]:
    """Every model call, in order."""
    return views.steps(task.read())


def step(task: Reader, number: int, *, masker: Masker) -> dict[str, Any]:
    """One step with the exact text that was sent and what came back."""
    rows = steps(task)
    row = next((row for row in rows if row["step"] == number), None)
    if row is None:
        raise Mistake(
            f"there is no step {number}", do=f"Steps: 1 to {len(rows)}" if rows else "It has made no step yet."
        )
    blobs = task.blobs
    texts = {
        key: blobs.get(row[key]).decode("utf-8", "replace") for key in ("system", "context", "reply") if row.get(key)
    }
    output = row.get("action", {}).get("output")
    if output:
        texts["output"] = blobs.get(output).decode("utf-8", "replace")
    return {**row, "text": {key: masker.text(text) for key, text in texts.items()}}


def events(task: Reader) -> list[dict[str, Any]]:
    """The whole record as plain values."""
    found = []
    for record in task.read():
        event = record.event
        data = event.data if isinstance(event, Unknown) else event.model_dump(mode="json")
        found.append({"seq": record.seq, "time": record.time, **data})
    return found


def cost(task: Reader) -> list[dict[str, Any]]:
    """What was used, by stage, role and model; unknown prices are counted, never added as nothing."""
    groups: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in steps(task):
        key = (row["stage"], row["role"], row["model"])
        group = groups.setdefault(key, _empty(row))
        group["calls"] += 1
        group["failed_calls"] += row["result"] != "ok"
        for field in ("prompt_tokens", "completion_tokens"):
            if row.get(field) is None:
                group[f"{field}_unknown_calls"] += 1
            else:
                group[field] += row[field]
        if row.get("usd") is None:
            group["usd_unknown_calls"] += 1
        else:
            group["usd"] = round(group["usd"] + row["usd"], 6)
    return list(groups.values())


def _empty(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "stage": row["stage"],
        "role": row["role"],
        "model": row["model"],
        "calls": 0,
        "failed_calls": 0,
        "prompt_tokens": 0,
        "prompt_tokens_unknown_calls": 0,
        "completion_tokens": 0,
        "completion_tokens_unknown_calls": 0,
        "usd": 0.0,
        "usd_unknown_calls": 0,
    }
