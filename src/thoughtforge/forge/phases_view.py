"""The phases of a change plan for people and scripts; written from the log and never read back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.forge.phases import PlanPhase
from thoughtforge.kernel.model import JsonObject


class PhasesHead(NamedTuple):
    """What stands above the phases."""

    plan_id: str
    plan_file: str
    plan_content_hash: str
    created_at: str
    """ISO dates."""
    updated_at: str


def phases_text(head: PhasesHead, phases: Sequence[PlanPhase]) -> str:
    """`plan-NNN-phases.md`."""
    raise NotImplementedError


def phases_data(head: PhasesHead, phases: Sequence[PlanPhase]) -> JsonObject:
    """The same as JSON: planId, planFile, planContentHash, createdAt, updatedAt, phases with dependsOn …"""
    raise NotImplementedError
