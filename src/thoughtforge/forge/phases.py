"""The phases of a change plan: which files together, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

PhaseKind = Literal["implement", "read", "audit"]
PhaseStatus = Literal["pending", "in-progress", "done", "failed", "skipped"]
MET: tuple[PhaseStatus, ...] = ("done", "skipped")
"""Statuses that let the phases after it begin."""
MAX_FILES = 5


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


class PlanFiles(NamedTuple):
    """The files a plan names."""

    paths: tuple[str, ...]
    notices: tuple[str, ...] = ()
    """Why the manifest does not count, when it does not."""


class Regenerated(NamedTuple):
    """New phases of a changed plan."""

    phases: tuple[PlanPhase, ...]
    """Kept ones first, with their ids and commits; the others have ids that were never used."""
    kept: tuple[str, ...]
    lost: tuple[str, ...]
    """What a person is told: each phase that was done, failed, skipped or in progress and is gone."""


def files_of(plan_text: str) -> PlanFiles:
    """The files of the manifest, or else those the changes name."""
    raise NotImplementedError


def decompose(plan_text: str, max_files: int = MAX_FILES) -> tuple[PlanPhase, ...]:
    """A chain of implement phases and one audit phase; read, implement and audit when the plan names no file."""
    raise NotImplementedError


def regenerate(
    before: Sequence[PlanPhase], plan_text: str, *, max_files: int = MAX_FILES, reset: bool = False
) -> Regenerated:
    """The phases of a changed plan. Done phases stay when their files and spec did not change, unless `reset`."""
    raise NotImplementedError


def next_phase(phases: Sequence[PlanPhase]) -> PlanPhase | None:
    """In progress first, then failed, then the first pending one whose dependencies are met; None when none is left."""
    raise NotImplementedError


def waiting_for(phases: Sequence[PlanPhase], phase: PlanPhase) -> tuple[str, ...]:
    """The dependencies of a phase that are not met."""
    raise NotImplementedError


def skipped(phases: Sequence[PlanPhase]) -> PlanPhase | None:
    """The phase `skip` takes: the first that is in progress or failed."""
    raise NotImplementedError
