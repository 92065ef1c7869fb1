"""The published states and stop reasons of a task; library/stops.yaml says what a person can do then."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class TaskStatus(StrEnum):
    """The status of a task. `pending` has not begun; a `halted` task can continue unless it was aborted."""

    pending = "pending"
    running = "running"
    needs_person = "needs_person"
    halted = "halted"
    done = "done"


class StopReason(StrEnum):
    """Why a task of any kind stops. Rooms register further reasons, each room in its own enumeration."""

    done = "done"
    question = "question"
    approval = "approval"
    paused = "paused"
    interrupted = "interrupted"
    aborted = "aborted"
    budget_usd = "budget_usd"
    budget_tokens = "budget_tokens"
    budget_steps = "budget_steps"
    budget_wall = "budget_wall"
    unknown_cost = "unknown_cost"
    configuration = "configuration"
    provider_failed = "provider_failed"
    check_broken = "check_broken"
    prerequisite_missing = "prerequisite_missing"
    stage_unavailable = "stage_unavailable"
    log_damaged = "log_damaged"
    file_system_error = "file_system_error"
    bug = "bug"


class StopFacts(NamedTuple):
    """What a reason means for the state and the exit code."""

    status: TaskStatus
    exit_code: int
    asks_again: bool = False
    """When the task continues, it asks again for a recorded answer that was unusable."""


PERSON = StopFacts(TaskStatus.needs_person, 3)
CAP = StopFacts(TaskStatus.needs_person, 4)
HALTED = StopFacts(TaskStatus.halted, 1)
HALTED_AND_ASKS = HALTED._replace(asks_again=True)
REFUSED = StopFacts(TaskStatus.halted, 2)

STOPS: dict[str, StopFacts] = {}
"""Every registered reason."""


def register(reasons: Mapping[str, StopFacts]) -> None:
    """Let logs hold these reasons."""
    for reason, facts in reasons.items():
        if reason in STOPS:
            raise ValueError(f"two reasons have the name {reason}")
        STOPS[reason] = facts


def reason_named(word: str) -> str:
    """The registered reason of that name: the very member of its enumeration."""
    for reason in STOPS:
        if reason == word:
            return reason
    raise ValueError(f"no room registers the reason {word}")


register(
    {
        **dict.fromkeys(StopReason, HALTED),
        StopReason.done: StopFacts(TaskStatus.done, 0),
        **dict.fromkeys((StopReason.question, StopReason.approval, StopReason.paused), PERSON),
        StopReason.interrupted: StopFacts(TaskStatus.halted, 130),
        **dict.fromkeys((one for one in StopReason if one.startswith("budget_")), CAP),
        StopReason.unknown_cost: CAP,
        **dict.fromkeys((StopReason.provider_failed, StopReason.check_broken), HALTED_AND_ASKS),
        StopReason.configuration: REFUSED,
        **dict.fromkeys((StopReason.prerequisite_missing, StopReason.stage_unavailable), REFUSED),
    }
)
