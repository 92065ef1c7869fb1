"""New phases for a plan that has changed: what is done and still the same is kept."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from thoughtforge.forge.change_spec import ChangeSpecs, change_specs, changes_of
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.phases import MAX_FILES, files_of, phases_after
from thoughtforge.forge.phases_view import SHORT


class Regenerated(NamedTuple):
    """The phases of a changed plan."""

    phases: tuple[PlanPhase, ...]
    """Kept ones first, with their ids and commits; no other has an id under which anything was done."""
    kept: tuple[str, ...]
    lost: tuple[str, ...]
    """What a person is told: each phase that was done, failed, skipped or in progress and is gone."""


def regenerate(
    before: Sequence[PlanPhase], plan_text: str, *, max_files: int = MAX_FILES, reset: bool = False
) -> Regenerated:
    """The phases of a changed plan. Done phases stay when their files and spec did not change, unless `reset`."""
    named = frozenset(files_of(plan_text).paths)
    specs = change_specs(changes_of(plan_text))
    kept = () if reset else tuple(phase for phase in before if _same(phase, named, specs))
    used = [int(phase.id.rpartition("-")[2]) for phase in before if phase.status != "pending"]
    lost = tuple(_loss(phase) for phase in before if phase.status != "pending" and phase not in kept)
    chained = tuple(
        phase._replace(depends_on=tuple(one.id for one in kept[max(0, place - 1) : place]))
        for place, phase in enumerate(kept)
    )
    phases = phases_after(chained, plan_text, max_files=max_files, first=max(used, default=0) + 1)
    return Regenerated(phases, tuple(phase.id for phase in kept), lost)


def _same(phase: PlanPhase, named: Collection[str], specs: ChangeSpecs) -> bool:
    """Whether a phase is done and the plan still says the same about all of its files."""
    if phase.kind != "implement" or phase.status != "done" or not phase.context_files:
        return False
    return set(phase.context_files) <= set(named) and specs.of(phase.context_files) == phase.change_spec


def _loss(phase: PlanPhase) -> str:
    commit = f"; its commit {phase.git_commit[:SHORT]} stays on the branch" if phase.git_commit else ""
    return f"{phase.id} ({phase.title}) was {phase.status} and is made anew{commit}"
