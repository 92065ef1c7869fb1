"""The files of a thought that people read: status, chat and polishing. Written from the log, never parsed back."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from thoughtforge import views
from thoughtforge.intake.conversation import CONVERSATION, Conversation, resolved
from thoughtforge.intake.phases import deliverable_type, halt_reason, phase, title
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest, JsonObject
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.state import State
from thoughtforge.review.best import best_iteration
from thoughtforge.review.log_text import log_text
from thoughtforge.review.rounds import ROUNDS, Round, Rounds, iteration_of
from thoughtforge.review.rounds import resolved as resolved_rounds

THINK = "think"
CHATS = (
    ("brain_dump", "distilling", "human_review"),
    ("spec_building",),
    ("building", "polishing", "done", "halted"),
)
"""Phases that share a chat; the file shows the newest of the three, the log keeps all of them."""


def thought_views(journal: Journal, blobs: Blobs) -> Callable[[State], dict[str, str]] | None:
    """What to write for a thought; nothing for any other task."""
    if journal.state.task is None or journal.state.task.goal != THINK:
        return None

    @cache
    def whole(digest: Digest) -> str:
        return blobs.get(digest).decode("utf-8", "replace")

    def files(state: State) -> dict[str, str]:
        known = resolved(journal.of(CONVERSATION), whole)
        found = {"status.json": _json(status(state)), "chat_history.json": _json(chat(state, known))}
        rounds = resolved_rounds(journal.of(ROUNDS), lambda digest: dict(json.loads(whole(digest))))
        if rounds.rounds:
            found |= {"polish_state.json": _json(polish_state(state, rounds)), "polish_log.md": log_text(rounds.log)}
        return found

    return files


def status(state: State) -> JsonObject:
    """Where the thought stands, and what every task says of itself."""
    task, at = state.the_task(), phase(state)
    return {
        "project_name": title(state),
        "phase": at.name,
        "halted_in": at.halted_in,
        "deliverable_type": deliverable_type(state),
        "agent": ", ".join(sorted(set(task.providers.values()))),
        "created_at": task.created_at,
        "updated_at": state.time,
        "halt_reason": halt_reason(state),
        **views.summary(state),
        "status": str(state.status()),
    }


def chat(state: State, known: Conversation) -> list[dict[str, Any]]:
    """The chat of the phase the thought is in."""
    at = phase(state)
    here = at.halted_in or at.name
    phases = next((group for group in CHATS if here in group), CHATS[-1])
    return [
        {"role": m.role, "content": m.text, "phase": m.phase, "timestamp": m.time}
        for m in known.messages
        if m.phase in phases
    ]


def polish_state(state: State, rounds: Rounds) -> JsonObject:
    """How the polishing stands: the newest counts, the way there, and the last review whole."""
    last = rounds.rounds[-1]
    return {
        "iteration": rounds.number,
        "error_counts": _counts(last),
        "convergence_trajectory": [
            {"iteration": one.review.iteration, **_counts(one), "timestamp": one.data["time"]} for one in rounds.rounds
        ],
        "tests_passed": last.data["tests_passed"],
        "timestamp": last.data["time"],
        "completed": state.stage("polish").status in ("made", "passed"),
        "halt_reason": halt_reason(state),
        "best_iteration": best_iteration(rounds.history()),
        "last_review": last.data,
    }


def _counts(one: Round) -> JsonObject:
    counts = iteration_of(one.data).counts
    return {**counts._asdict(), "total": counts.total}


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
