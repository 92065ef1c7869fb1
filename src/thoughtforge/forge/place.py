"""The file of a change plan on disk: written as a view, read as what a person may have changed in it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from thoughtforge.forge import events as f
from thoughtforge.forge.meaning import meaning_hash
from thoughtforge.forge.merging import MergedPlan, merged
from thoughtforge.forge.notes_view import with_notes, without_notes
from thoughtforge.forge.numbering import VIEW, id_of, phases_name
from thoughtforge.forge.phases_view import PhasesHead, phases_text
from thoughtforge.forge.plan import PLAN, ChangePlan
from thoughtforge.forge.plan_file import MOST_BYTES, decode, header_of, with_status
from thoughtforge.forge.shown import ShownFile, keep, last_shown
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
    kept: Path
    """The folder that keeps what each file said when it was last dealt with."""


def settled(text: str) -> str:
    """A text as the record keeps it: plain line ends, and one status whatever the plan's is."""
    return with_status(text.replace("\r\n", "\n").replace("\r", "\n"), PlanStatus.draft)


def digest_of(text: str) -> Digest:
    """What a blob of this text is called."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def whole(blobs: Blobs, plan: ChangePlan) -> str:
    """The newest text, as the record keeps it."""
    return blobs.get(plan.text).decode("utf-8", "replace")


def as_shown(blobs: Blobs, plan: ChangePlan) -> str:
    """The newest text as its file says it: with the status, and what the record knows of its phases."""
    return with_notes(with_status(whole(blobs, plan), plan.status), plan)


def began(blobs: Blobs, plan: ChangePlan) -> str:
    """The text the template gave it."""
    return blobs.get(plan.began).decode("utf-8", "replace")


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
    if _ours(path, plan, place, task.id):
        found[str(path)] = as_shown(blobs, plan)
    if plan.phases:
        found[str(place.folder / phases_name(task.id))] = phases_text(head_of(plan, task, journal), plan.phases)
    return found


def show(journal: Journal, blobs: Blobs, place: PlanPlace) -> None:
    """Write the files people read."""
    plan, task = journal.of(PLAN), journal.state.the_task()
    for name, text in files(journal, blobs, place).items():
        path, text = Path(name), place.mask(text)
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.unlink(missing_ok=True)  # never through a link
        fresh.write_text(text, encoding="utf-8", errors="replace")
        fresh.replace(path)
        if path.name == plan.file:
            keep(place.kept, task.id, ShownFile(digest_of(text), plan.text, plan.status))


def _ours(path: Path, plan: ChangePlan, place: PlanPlace, task_id: str) -> bool:
    """Whether the engine may write the file: nobody has it under another name, and what it says is dealt with."""
    if path.is_symlink():
        return False
    try:
        there = read(path)
    except UserError:
        return False
    if there is None:
        return not _others(place, plan, task_id, there=False)
    known = last_shown(place.kept, task_id)
    same = known is not None and known.file == digest_of(there)
    return same or digest_of(place.mask(_without_views(there))) == plan.text


def _without_views(text: str) -> str:
    """What a file says, but for what the engine shows in it."""
    return without_notes(settled(text))


def head_of(plan: ChangePlan, task: Task, journal: Journal) -> PhasesHead:
    """What stands above the phases."""
    return PhasesHead(task.id, plan.file, plan.made_of, plan.made_at[:10], journal.state.time[:10])


def take_in(journal: Journal, blobs: Blobs, place: PlanPlace, *, by: str) -> Sequence[str]:
    """Put on record what a person changed in the file; what was put right, in words."""
    task = journal.state.the_task()
    notices = _named(journal, place, by=by)
    plan = journal.of(PLAN)
    there = read(place.folder / plan.file)
    if there is None:
        return [*notices, f"{plan.file} was gone; it is written again"]
    known = last_shown(place.kept, task.id)
    if known is not None and known.file == digest_of(there):
        return notices
    notices += _header(there, plan, task, shown=known.status if known else plan.status)
    theirs = place.mask(_without_views(there))
    if digest_of(theirs) != plan.text:
        base = known.text if known is not None and known.text in plan.texts else plan.text
        texts = [blobs.get(digest).decode("utf-8", "replace") for digest in (base, plan.text)]
        notices += _taken(journal, blobs, merged(base=texts[0], newest=texts[1], theirs=theirs), by=by)
    now = journal.of(PLAN)
    keep(place.kept, task.id, ShownFile(digest_of(there), now.text, header_of(there).status))
    return notices


def _taken(journal: Journal, blobs: Blobs, found: MergedPlan, *, by: str) -> list[str]:
    """Put the merged text on record, if it is another one; what is worth telling."""
    plan = journal.of(PLAN)
    told = [f"{plan.file}: {', '.join(found.restored)} put back as it was"] if found.restored else []
    if found.both:
        told.append(f"{plan.file} was edited while it changed; of {', '.join(found.both)} the edited text counts")
    if digest_of(found.text) == plan.text:
        return told
    meaning = meaning_hash(found.text)
    blobs.put(found.text.encode("utf-8", "replace"))
    journal.append(f.PlanWritten(text=digest_of(found.text), meaning=meaning, by="person", who=by))
    if meaning != plan.meaning:
        told.append(f"{plan.file} was edited; the change is on record")
        take_back(journal, why="the plan was edited after its approval")
    return told


def _named(journal: Journal, place: PlanPlace, *, by: str) -> list[str]:
    """Follow a file that a person gave another name; of two with one id, say which counts."""
    plan, task = journal.of(PLAN), journal.state.the_task()
    there = (place.folder / plan.file).exists() or (place.folder / plan.file).is_symlink()
    others = _others(place, plan, task.id, there=there)
    if not others:
        return []
    name, *more = (plan.file, *others) if there else others
    notices = [] if there else [f"{plan.file} was renamed; the file of {task.id} is {name}"]
    if more:
        notices.append(f"{', '.join(more)} says it is {task.id} too; {name} counts")
    if not there:
        journal.append(f.PlanWritten(text=plan.text, meaning=plan.meaning, by="person", who=by, file=name))
    return [notice for notice in notices if notice not in journal.state.warnings]


def _others(place: PlanPlace, plan: ChangePlan, task_id: str, *, there: bool) -> list[str]:
    """Other files that say they are of this plan. Only when its own is gone are files of any name looked at."""
    names = sorted(path.name for path in place.folder.glob(f"{task_id}*.md" if there else "[!.]*.md"))
    wanted = [name for name in names if name != plan.file and not name.endswith(f"-{VIEW}.md")]
    return [name for name in wanted if id_of(name) in ("", task_id) and _id_in(place.folder / name) == task_id]


def _id_in(path: Path) -> str:
    try:
        return header_of(read(path) or "").id
    except UserError:
        return ""


def _header(text: str, plan: ChangePlan, task: Task, *, shown: str) -> list[str]:
    head = header_of(text)
    if head.id and head.id != task.id:
        raise UserError(
            f"{plan.file} says it is {head.id}, but it is the file of {task.id}",
            do=f"Put **ID:** {task.id} back, or remove the file: it is written again.",
        )
    if head.status in (shown, plan.status):
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
