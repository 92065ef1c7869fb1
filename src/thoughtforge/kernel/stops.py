"""The published states of a task and the reasons it can rest for, each with what a person can do next."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class TaskStatus(StrEnum):
    """Where a task stands. `pending` has not begun; `halted` can be taken up again unless it was aborted."""

    pending = "pending"
    running = "running"
    needs_person = "needs_person"
    halted = "halted"
    done = "done"


class StopReason(StrEnum):
    """Why a task rests."""

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
    brain_dump = "brain_dump"
    agent_needed = "agent_needed"
    criteria_missing = "criteria_missing"
    stuck = "stuck"
    plan_incomplete = "plan_incomplete"
    phase3_output_missing = "phase3_output_missing"
    phase3_output_incomplete = "phase3_output_incomplete"
    guard = "guard"
    fix_rejected = "fix_rejected"
    server_restart = "server_restart"
    bug = "bug"


class StopFacts(NamedTuple):
    """What a reason means for state, exit code and the person."""

    status: TaskStatus
    exit_code: int
    next_action: str


_PERSON, _HALTED = TaskStatus.needs_person, TaskStatus.halted
STOPS: dict[StopReason, StopFacts] = {
    StopReason.done: StopFacts(TaskStatus.done, 0, "Read the result: thoughtforge inspect {task}"),
    StopReason.question: StopFacts(
        _PERSON, 3, "Answer: thoughtforge resolve ID ANSWER (thoughtforge escalations list)"
    ),
    StopReason.approval: StopFacts(
        _PERSON,
        3,
        "Decide: thoughtforge approve {task} | feedback {task} TEXT | reject {task} TEXT | approve {task} --exit",
    ),
    StopReason.paused: StopFacts(_PERSON, 3, "Go on: thoughtforge continue {task}"),
    StopReason.interrupted: StopFacts(_HALTED, 130, "Go on: thoughtforge continue {task}"),
    StopReason.aborted: StopFacts(
        _HALTED, 1, "Nothing more will run; what was made is kept: thoughtforge inspect {task}"
    ),
    StopReason.budget_usd: StopFacts(_PERSON, 4, "Raise the cap: thoughtforge continue {task} --budget-usd AMOUNT"),
    StopReason.budget_tokens: StopFacts(_PERSON, 4, "Raise the cap: thoughtforge continue {task} --budget-tokens N"),
    StopReason.budget_steps: StopFacts(_PERSON, 4, "Raise the cap: thoughtforge continue {task} --max-steps N"),
    StopReason.budget_wall: StopFacts(_PERSON, 4, "Raise the cap: thoughtforge continue {task} --max-wall SECONDS"),
    StopReason.unknown_cost: StopFacts(
        _PERSON,
        4,
        "Give the provider a price in config.yaml, or go on: thoughtforge continue {task} --allow-unknown-cost",
    ),
    StopReason.configuration: StopFacts(_HALTED, 2, "Put right what it names, then: thoughtforge continue {task}"),
    StopReason.provider_failed: StopFacts(
        _HALTED, 1, "Check it: thoughtforge doctor; then: thoughtforge continue {task}"
    ),
    StopReason.check_broken: StopFacts(_HALTED, 1, "Repair what it names, then: thoughtforge continue {task}"),
    StopReason.prerequisite_missing: StopFacts(
        _HALTED, 2, "Bring it along: thoughtforge start REQUEST --from-spec FILE, or --from-task TASK"
    ),
    StopReason.stage_unavailable: StopFacts(
        _HALTED, 2, "This version ends here; the result so far: thoughtforge inspect {task}"
    ),
    StopReason.log_damaged: StopFacts(
        _HALTED, 1, "See it: thoughtforge verify {task}; accept the loss: thoughtforge continue {task} --accept-loss"
    ),
    StopReason.file_system_error: StopFacts(
        _HALTED, 1, "Make room or give access there, then: thoughtforge continue {task}"
    ),
    StopReason.brain_dump: StopFacts(_PERSON, 3, "Tell more: thoughtforge say {task} TEXT | distill {task}"),
    StopReason.agent_needed: StopFacts(_PERSON, 3, "Connect one, then: thoughtforge resume {task} --provider NAME"),
    StopReason.criteria_missing: StopFacts(_HALTED, 1, "Name some: thoughtforge say {task} TEXT | resume {task}"),
    StopReason.stuck: StopFacts(_HALTED, 1, "Answer: thoughtforge provide {task} TEXT | terminate {task}"),
    StopReason.plan_incomplete: StopFacts(_HALTED, 1, "Decide: thoughtforge override {task} | terminate {task}"),
    **dict.fromkeys(
        (StopReason.guard, StopReason.fix_rejected),
        StopFacts(_HALTED, 1, "Decide: thoughtforge resume {task} | override {task} | terminate {task}"),
    ),
    **dict.fromkeys(
        (StopReason.phase3_output_missing, StopReason.phase3_output_incomplete, StopReason.server_restart),
        StopFacts(_HALTED, 1, "Look at its files, then: thoughtforge resume {task} | terminate {task}"),
    ),
    StopReason.bug: StopFacts(_HALTED, 1, "A defect: report it with its traceback, then: thoughtforge continue {task}"),
}


def next_action(reason: StopReason, task_id: str) -> str:
    """The sentence a person reads under the reason."""
    return STOPS[reason].next_action.format(task=task_id)
