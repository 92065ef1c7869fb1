"""The phases of a change plan for people and scripts; written from the log and never read back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from thoughtforge.forge.phase import PlanPhase
from thoughtforge.kernel.model import JsonObject

SHORT = 12
"""Digits of a commit that people read; the record has all."""


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
    facts = (("Created", head.created_at), ("Updated", head.updated_at), ("Plan hash", head.plan_content_hash))
    top = "\n".join([f"# Phases: {_flat(head.plan_id)} — {_flat(head.plan_file)}", *map(": ".join, facts)])
    return "\n".join([top, "", *(f"{_phase(phase)}\n---\n" for phase in phases)])


def _phase(phase: PlanPhase) -> str:
    facts = [
        ("Kind", phase.kind),
        ("Status", phase.status),
        ("Context", _listed(f"`{_flat(path)}`" for path in phase.context_files)),
        ("Depends on", _listed(phase.depends_on)),
        ("Commit", f"`{phase.git_commit[:SHORT]}`" if phase.git_commit else ""),
        ("Modified files", _modified(phase)),
        ("Error", _flat(phase.error)),
    ]
    lines = [f"## {phase.id}: {_flat(phase.title)}", *(f"**{name}:** {text}" for name, text in facts if text)]
    parts = ["\n".join(lines), phase.description and _flat(phase.description)]
    if phase.change_spec:
        parts.append(f"**Change spec:**\n\n{_quoted(phase.change_spec)}")
    if phase.output:
        parts.append(f"**Output:**\n\n{_quoted(phase.output)}")
    return "\n\n".join(part for part in parts if part) + "\n"


def _modified(phase: PlanPhase) -> str:
    if phase.modified_files is None:
        return ""
    hashes = dict(phase.failure_hashes)
    told = (f"`{_flat(path)}`" + (f" ({hashes[path]})" if path in hashes else "") for path in phase.modified_files)
    return _listed(told)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words) or "(none)"


def _flat(text: str) -> str:
    """One line: what a phase says can begin no heading and no phase of its own."""
    return " ".join(text.split())


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def phases_data(head: PhasesHead, phases: Sequence[PlanPhase]) -> JsonObject:
    """The same as JSON: planId, planFile, planContentHash, createdAt, updatedAt, phases with dependsOn …"""
    return {
        "planId": head.plan_id,
        "planFile": head.plan_file,
        "planContentHash": head.plan_content_hash,
        "createdAt": head.created_at,
        "updatedAt": head.updated_at,
        "phases": [phase_data(phase) for phase in phases],
    }


def phase_data(phase: PlanPhase) -> JsonObject:
    """One phase as JSON; what is not known is null."""
    return {
        "id": phase.id,
        "title": phase.title,
        "kind": phase.kind,
        "description": phase.description,
        "status": phase.status,
        "dependsOn": list(phase.depends_on),
        "contextFiles": list(phase.context_files),
        "changeSpec": phase.change_spec or None,
        "output": phase.output or None,
        "error": phase.error or None,
        "gitCommit": phase.git_commit[:SHORT] or None,
        "modifiedFiles": None if phase.modified_files is None else list(phase.modified_files),
        "failureHashes": dict(phase.failure_hashes) or None,
    }
