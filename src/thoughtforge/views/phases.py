"""The phase of a thought, in the eight words people see; a view of the state, never stored."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.kernel.state import StageState, State
from thoughtforge.kernel.stops import STOPS, StopReason, TaskStatus

GUARD, BRAIN_DUMP = "guard", "brain_dump"
"""Reasons that rooms above register, by their words."""
AUTONOMOUS = ("distilling", "building", "polishing")
"""Phases without a person; a thought whose process dies in one of them halts."""
CONVERSATION = ("brain_dump", "distilling", "human_review", "spec_building")
"""Phases in which what a person says is part of a conversation."""
REASONS: dict[str, str] = {
    StopReason.provider_failed: "agent_failed",
    StopReason.aborted: "human_terminated",
    StopReason.budget_usd: "budget",
    StopReason.budget_tokens: "budget",
    StopReason.budget_steps: "budget",
    StopReason.budget_wall: "budget",
}
"""Reasons that have a word of their own for thoughts."""
DRAFT = "draft"
"""The label of a thought whose confirmations were taken as given."""
BUDGET = 4
"""The exit code of every end at a cap."""


class Phase(NamedTuple):
    """The phase and, for a halted task, the one it halted in."""

    name: str
    halted_in: str | None = None

    @property
    def place(self) -> str:
        """The phase the work is in, halted or not."""
        return self.halted_in or self.name


def phase(state: State) -> Phase:
    """Where the task stands."""
    if state.exited is not None:
        return Phase("done")
    at = _at(state)
    return Phase("halted", at) if _halted(state) else Phase(at)


def halt_reason(state: State) -> str | None:
    """Why a halted task stopped: the guard's name when a guard halted it."""
    reason = state.reason()
    if reason is None or not _halted(state):
        return None
    if reason == GUARD:
        return state.stop_detail.partition(":")[0]
    return REASONS.get(reason, str(reason))


def _halted(state: State) -> bool:
    """A used-up cap waits for a person like a question does, but there is nothing to answer: the thought has halted."""
    reason = state.reason()
    return reason is not None and (STOPS[reason].status is TaskStatus.halted or STOPS[reason].exit_code == BUDGET)


def title(state: State) -> str:
    """The name of a thought, from its confirmed intent; nothing before."""
    return str(_measured(state, "title") or "")


def deliverable_type(state: State) -> str | None:
    """Plan or code, once the intent is confirmed."""
    found = _measured(state, "deliverable_type")
    return str(found) if found else None


def _measured(state: State, key: str) -> object:
    distill = state.stage("distill")
    return distill.verdict.measured.get(key) if distill.verdict and distill.status == "passed" else None


def _at_work(stage: StageState) -> bool:
    return stage.status == "made" or stage.rework or (stage.status == "working" and stage.round > 1)


def _at(state: State) -> str:
    distill = state.stage("distill")
    if _at_work(distill):  # also of a finished thought that goes back to its conversation
        return "human_review" if distill.iteration else "distilling"
    if _at_work(state.stage("spec")):
        return "spec_building"
    if state.stage("polish").status != "pending" or state.stage("build").status in ("passed", "made"):
        return "polishing"
    begun = {state.stage(name).status for name in ("tests", "build")} - {"pending"}
    if begun or state.stage("spec").status == "passed":
        return "building"
    if state.stage("spec").status != "pending" or state.stage("distill").status == "passed":
        return "spec_building"
    if distill.iteration:
        return "human_review"
    return "brain_dump" if distill.status == "pending" or state.stop == BRAIN_DUMP else "distilling"
