"""The phases of a change plan: which files together, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple

from thoughtforge.forge.change_spec import change_specs, changes_of
from thoughtforge.forge.layout import MOST_FILES
from thoughtforge.forge.manifest import manifest_of
from thoughtforge.forge.pairing import together
from thoughtforge.forge.paths import LINES_PER_FILE, mentions
from thoughtforge.forge.phase import MET, PlanPhase

MAX_FILES = 5
LONGEST_NAME = 60
AUDIT_TITLE = "Post-implementation audit"


class PlanFiles(NamedTuple):
    """The files a plan names."""

    paths: tuple[str, ...]
    notices: tuple[str, ...] = ()
    """Why the manifest does not count, when it does not."""


def files_of(plan_text: str) -> PlanFiles:
    """The files of the manifest, or else those the changes name."""
    manifest = manifest_of(plan_text)
    mentioned = mentions(changes_of(plan_text), MOST_FILES + 1)
    paths = manifest.paths or tuple(dict.fromkeys(path for mention in mentioned for path in mention.paths))
    lines = MOST_FILES * LINES_PER_FILE
    if len(paths) <= MOST_FILES and len(mentioned) <= lines:
        return PlanFiles(paths, manifest.notices)
    what = f"more than {MOST_FILES:,} files" if len(paths) > MOST_FILES else f"files in more than {lines:,} lines"
    told = f"The plan names {what}; only these count. Split it into several plans."
    return PlanFiles(paths[:MOST_FILES], (*manifest.notices, told))


def decompose(plan_text: str, max_files: int = MAX_FILES) -> tuple[PlanPhase, ...]:
    """A chain of implement phases and one audit phase; read, implement and audit when the plan names no file."""
    return phases_after((), plan_text, max_files=max_files)


def phases_after(
    kept: Sequence[PlanPhase], plan_text: str, *, max_files: int = MAX_FILES, first: int = 1
) -> tuple[PlanPhase, ...]:
    """These phases, then what is left of the plan with ids from a number on, and the audit of everything."""
    files = files_of(plan_text).paths
    changes = changes_of(plan_text)
    ids = (f"phase-{number}" for number in count(first))
    chain = list(kept)
    if not files:
        told = "Find the files that the plan changes."
        chain.append(PlanPhase(next(ids), "Read what the plan is about", "read", told))
        chain.append(_implement(next(ids), chain, (), changes.strip("\n")))
    else:
        specs = change_specs(changes)
        held = {path for phase in kept for path in phase.context_files}
        for batch in _batches([path for path in files if path not in held], max_files):
            chain.append(_implement(next(ids), chain, batch, specs.of(batch)))
    told = "Audit all changes against the plan."
    after = tuple(phase.id for phase in chain)
    return (*chain, PlanPhase(next(ids), AUDIT_TITLE, "audit", told, depends_on=after, context_files=files))


def _implement(name: str, before: Sequence[PlanPhase], files: Sequence[str], spec: str) -> PlanPhase:
    told = f"Implement the changes of: {', '.join(f'`{path}`' for path in files)}"
    return PlanPhase(
        name,
        _title(files, spec) if files else "Implement the plan",
        "implement",
        told if files else "Make the changes of the plan.",
        depends_on=tuple(phase.id for phase in before[-1:]),
        context_files=tuple(files),
        change_spec=spec,
    )


def _title(files: Sequence[str], spec: str) -> str:
    """One line for a commit: what is said about a single file, else the first file and how many more."""
    first = files[0] if len(files[0]) <= LONGEST_NAME else files[0].rpartition("/")[2][-LONGEST_NAME:]
    said = " ".join(spec.replace(f"`{files[0]}`", " ", 1).split()).lstrip("#*-+|:—–0123456789.) ")
    if len(files) == 1 and said and len(first) < LONGEST_NAME // 2:
        told = f"{first}: {said}"
        return told if len(told) <= LONGEST_NAME else f"{told[: LONGEST_NAME - 1].rpartition(' ')[0]}…"
    more = len(files) - 1
    return f"Implement {first}" + (f" and {more} more file{'s' * (more > 1)}" if more else "")


def _batches(files: Sequence[str], max_files: int) -> Iterator[list[str]]:
    """The files by folder, in the order of their first mention; a module and its tests are never parted."""
    folders: dict[str, list[tuple[str, ...]]] = {}
    for group in together(files):
        folders.setdefault(group[0].rpartition("/")[0], []).append(group)
    for groups in folders.values():
        batch: list[str] = []
        for piece in (piece for group in groups for piece in _pieces(group, max(1, max_files))):
            if batch and len(batch) + len(piece) > max_files:
                yield batch
                batch = []
            batch = [*batch, *piece]
        yield batch


def _pieces(group: tuple[str, ...], max_files: int) -> Iterator[tuple[str, ...]]:
    """A group larger than a batch in several: the module keeps as many of its tests as fit, at least one."""
    size = max(2, max_files)
    return (group[at : at + size] for at in range(0, len(group), size))


def next_phase(phases: Sequence[PlanPhase]) -> PlanPhase | None:
    """In progress first, then failed, then the first pending one whose dependencies are met; None when none is left."""
    for status in ("in-progress", "failed"):
        if found := next((phase for phase in phases if phase.status == status), None):
            return found
    return next((one for one in phases if one.status == "pending" and not waiting_for(phases, one)), None)


def waiting_for(phases: Sequence[PlanPhase], phase: PlanPhase) -> tuple[str, ...]:
    """The dependencies of a phase that are not met; one that does not exist is not met."""
    met = {one.id for one in phases if one.status in MET}
    return tuple(name for name in phase.depends_on if name not in met)


def skipped(phases: Sequence[PlanPhase]) -> PlanPhase | None:
    """The phase `skip` takes: the first that is in progress or failed."""
    return next((phase for phase in phases if phase.status in ("in-progress", "failed")), None)
