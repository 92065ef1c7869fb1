"""What people and programs read of a change plan, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from thoughtforge.views.values import Cost, NextAction


class PlanSummary(NamedTuple):
    """One change plan in a line."""

    plan: str
    title: str
    status: str
    file: str
    phases_done: int
    phases: int
    runner: str | None
    """The process that runs it now, and since when."""
    next_action: str | None

    @classmethod
    def damaged(cls, plan: str, what: str) -> PlanSummary:
        """A plan whose record cannot be read."""
        do = f"See the damage: thoughtforge verify {plan}"
        return cls(plan, f"its record is damaged: {what}", "DAMAGED", "", 0, 0, None, do)


class AuditView(NamedTuple):
    """One audit of a change plan."""

    round: int
    outcome: str
    severity: str
    source: str
    auditor: str
    findings: tuple[Mapping[str, Any], ...]


class PlanDetails(NamedTuple):
    """One change plan in full."""

    overview: PlanSummary
    created: str
    project: str
    base_commit: str
    approved_by: str | None
    unaudited: str | None
    """Why it was approved without an audit."""
    edited_since_audit: bool
    """Whether what it means, or what was approved, is not what was audited last."""
    stale: bool
    """Whether its phases are older than its meaning."""
    audits: tuple[AuditView, ...]
    phases_view: Mapping[str, Any] | None
    """The phases in the words of their file."""
    closing_findings: tuple[Mapping[str, Any], ...]
    """What the last closing audit found."""
    tested: tuple[Mapping[str, str], ...]
    """What the last closing audit ran: `name`, `outcome` (pass, fail or not_run) and `detail`."""
    to_allow: str | None
    """What to set so that commands of the plan that are not allowed can be run."""
    owed: tuple[str, ...]
    deviations: tuple[Mapping[str, str], ...]
    branch: str | None
    """The branch in the person's repository, once it is there."""
    reason: str | None
    """Why it stopped."""
    detail: str | None
    warnings: tuple[str, ...]
    cost: Cost
    next_actions: tuple[NextAction, ...]
