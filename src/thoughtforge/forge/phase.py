"""One phase of a change plan, as a value."""

from __future__ import annotations

from typing import Literal, NamedTuple

PhaseKind = Literal["implement", "read", "audit"]
PhaseStatus = Literal["pending", "in-progress", "done", "failed", "skipped"]
MET: tuple[PhaseStatus, ...] = ("done", "skipped")
"""Statuses that let the phases after it begin."""


class PlanPhase(NamedTuple):
    """One phase of a change plan. The log has its state; the Markdown file and the JSON are views."""

    id: str
    title: str
    kind: PhaseKind
    description: str
    status: PhaseStatus = "pending"
    depends_on: tuple[str, ...] = ()
    context_files: tuple[str, ...] = ()
    change_spec: str = ""
    output: str = ""
    error: str = ""
    git_commit: str = ""
    modified_files: tuple[str, ...] | None = None
    """None when nothing was recorded; empty when the phase changed no file."""
    failure_hashes: tuple[tuple[str, str], ...] = ()
    """Path and digest of each modified file when the phase failed."""
