"""The file of a change plan on disk: written as a view, read as what a person may have changed in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.forge import events as f
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.phases_view import PhasesHead, phases_text
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.plan_file import MOST_BYTES, decode, header_of, with_status
from thoughtforge.forge.status import PlanStatus, route
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.model import Digest, Task
from thoughtforge.kernel.ports import Blobs

TAKES_BACK = (PlanStatus.approved, PlanStatus.implementing, PlanStatus.auditing)
"""Statuses in which a changed meaning takes the approval away."""


class PlanPlace(NamedTuple):
    """Where the files of plans lie, and how secrets are kept out of the record."""

    folder: Path
    mask: Callable[[str], str]


def settled(text: str) -> str:
    """A text as the record keeps it: plain line ends, and one status whatever the plan's is."""
    return with_status(text.replace("\r\n", "\n").replace("\r", "\n"), PlanStatus.draft)


def digest_of(text: str) -> Digest:
    """What a blob of this text is called."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def whole(blobs: Blobs, plan: ChangePlan) -> str:
    """The newest text, as the record keeps it."""
    return blobs.get(plan.text).decode("utf-8", "replace")


def read(path: Path) -> str | None:
    """The text of the file; None when it is gone. A link, a folder, a large or unreadable file is a UserError."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise UserError(
            f"{path} is no plain file", do="Put a plain file there, or remove it: the plan is written again."
        )
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UserError(
                f"{path} has {size:,} bytes, a change plan has at most {MOST_BYTES:,}",
                do="Shorten it, or remove it: the plan is written again as it was.",
            )
        return decode(path.read_bytes(), source=str(path))
    except FileNotFoundError:
        return None


def files(journal: Journal, blobs: Blobs, place: PlanPlace) -> dict[str, str]:
    """Path → text of the files people read. A file that a person changed is left out until that is on record."""
    plan, task = journal.of(PLAN), journal.state.the_task()
    if not plan.texts:
        return {}
    found: dict[str, str] = {}
    path = place.folder / plan.file
    if _ours(path, plan, place):
        found[str(path)] = with_status(whole(blobs, plan), plan.status)
    if plan.phases:
        found[str(place.folder / f"{task.id}-phases.md")] = phases_text(head_of(plan, task, journal), plan.phases)
    return found


def show(journal: Journal, blobs: Blobs, place: PlanPlace) -> None:
    """Write the files people read."""
    for name, text in files(journal, blobs, place).items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.unlink(missing_ok=True)  # never through a link
        fresh.write_text(place.mask(text), encoding="utf-8", errors="replace")
        fresh.replace(path)


def _ours(path: Path, plan: ChangePlan, place: PlanPlace) -> bool:
    """Whether the engine may write the file: it is not there, or says what the engine wrote once."""
    if path.is_symlink():
        return False
    try:
        there = read(path)
    except UserError:
        return False
    return there is None or digest_of(place.mask(settled(there))) in plan.texts


def head_of(plan: ChangePlan, task: Task, journal: Journal) -> PhasesHead:
    """What stands above the phases."""
    return PhasesHead(task.id, plan.file, plan.made_of, plan.made_at[:10], journal.state.time[:10])


def take_in(journal: Journal, blobs: Blobs, place: PlanPlace, *, by: str) -> Sequence[str]:
    """Put on record what a person changed in the file; what was put right, in words."""
    plan, task = journal.of(PLAN), journal.state.the_task()
    path = place.folder / plan.file
    there = read(path)
    if there is None:
        return [f"{plan.file} was gone; it is written again"]
    notices = _header(there, plan, task)
    text = place.mask(settled(there))
    if digest_of(text) in plan.texts:
        return notices
    meaning = meaning_hash(text)
    blobs.put(text.encode("utf-8", "replace"))
    journal.append(f.PlanWritten(text=digest_of(text), meaning=meaning, by="person", who=by))
    if meaning != plan.meaning:
        notices.append(f"{plan.file} was edited; the change is on record")
        take_back(journal, why="the plan was edited after its approval")
    return notices


def _header(text: str, plan: ChangePlan, task: Task) -> list[str]:
    head = header_of(text)
    if head.id and head.id != task.id:
        raise UserError(
            f"{plan.file} says it is {head.id}, but it is the file of {task.id}",
            do=f"Put **ID:** {task.id} back, or remove the file: it is written again.",
        )
    if head.status == plan.status:
        return []
    return [f"the status line of {plan.file} said {head.status or 'nothing'}; {task.id} is {plan.status}"]


def take_back(journal: Journal, *, why: str) -> None:
    """Lead a plan whose meaning is not the approved one back to REVIEW, move by move."""
    plan = journal.of(PLAN)
    if plan.status not in TAKES_BACK or plan.approved is None or plan.approved.meaning == plan.meaning:
        return
    before = plan.status
    for after in route(before, PlanStatus.review):
        journal.append(f.PlanMoved(before=before, after=after, why=why))
        before = after


def warn(journal: Journal, notices: Sequence[str]) -> None:
    """Put on record what was found wrong with the file, and put right."""
    for notice in notices:
        journal.append(WarningGiven(text=notice, code="plan_file"))
