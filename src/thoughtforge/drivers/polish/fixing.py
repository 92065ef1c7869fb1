"""One fix: asked for, judged, written and committed; a commit that failed is made up for, never the fix itself."""

from __future__ import annotations

from thoughtforge.agent.means import Means
from thoughtforge.deliverables.operations import write_of
from thoughtforge.drivers.polish.commits import commit, keep_edits
from thoughtforge.drivers.polish.deliverable import Deliverable, Fix, digest
from thoughtforge.intake.documents import CONSTRAINTS, allow, project, read, write
from thoughtforge.kernel.errors import Stop
from thoughtforge.kernel.events import WarningGiven
from thoughtforge.kernel.model import Stage
from thoughtforge.review.best import for_fixer
from thoughtforge.review.events import PolishFixed, PolishStop
from thoughtforge.review.rounds import Rounds
from thoughtforge.workspaces.edits import mode_of
from thoughtforge.workspaces.events import EditPlanned

MOST_REJECTED = 2
"""Refused fixes running before a person has to look."""


async def fix(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> None:
    """Fix what the newest review found; nothing to fix is no fix and no commit."""
    last = rounds.rounds[-1]
    number = last.review.iteration
    if last.planned:
        await _make_up(means, stage, rounds, of=of)
        return
    found = await _asked(means, stage, rounds, of=of)
    while await keep_edits(means, number):  # the fix of a text that is no more is none
        found = await _asked(means, stage, rounds, of=of)
    if found.refused:
        _refuse(means, stage, number, found.refused)
        return
    for path, text in found.files.items():
        means.journal.append(_planned(means, stage, path, text))
    _write(means, of.type, found.files)
    await _commit(means, stage, number, found.summary)


async def _asked(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> Fix:
    last = rounds.rounds[-1]
    number = last.review.iteration
    key = f"{stage.name}/{number}/{rounds.attempts[number]}/fix/{of.hash()[:8]}"
    constraints = read(means, CONSTRAINTS)
    return await of.fix(for_fixer(rounds.history()), constraints=constraints, measured=last.data["gate"], key=key)


def _planned(means: Means, stage: Stage, path: str, text: str | None) -> EditPlanned:
    file = project(means).root / path
    before = digest(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None
    after = None if text is None else means.blobs.put(text.encode("utf-8", "replace"), exact=True)
    step = means.journal.state.used.steps
    mode = "" if text is None else mode_of(project(means).root, path)
    return EditPlanned(stage=stage.name, step=step, path=path, before=before, after=after, mode=mode)


def _write(means: Means, deliverable: str, files: dict[str, str | None]) -> None:
    for path, text in files.items():
        if text is None:
            allow(means, write_of(path), path, deliverable=deliverable)
            (project(means).root / path).unlink(missing_ok=True)
        else:
            write(means, path, text, deliverable=deliverable)


async def _make_up(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> None:
    """After a crash or a failed commit: what was not written yet is written, whatever lies there is committed."""
    last = rounds.rounds[-1]
    planned = [*last.planned]
    if all(_now(means, edit) == edit.before for edit in planned):  # nothing is written before all of it is planned
        planned += await _rest(means, stage, rounds, of=of)
    for edit in planned:
        if _now(means, edit) == edit.before != edit.after:
            text = None if edit.after is None else means.blobs.get(edit.after).decode("utf-8", "replace")
            _write(means, of.type, {edit.path: text})
    summary = ", ".join(one.id for one in for_fixer(rounds.history()))
    await _commit(means, stage, last.review.iteration, summary)


async def _rest(means: Means, stage: Stage, rounds: Rounds, *, of: Deliverable) -> list[EditPlanned]:
    """The edits of the same answer that a crash left unplanned; nobody is asked again for them."""
    last = rounds.rounds[-1]
    prefix = f"{stage.name}/{last.review.iteration}/{rounds.attempts[last.review.iteration]}/fix/"
    if not any(key.startswith(prefix) for key in means.stage(stage.name).replies):
        return []
    known = {edit.path for edit in last.planned}
    files = (await _asked(means, stage, rounds, of=of)).files
    rest = [_planned(means, stage, path, text) for path, text in files.items() if path not in known]
    for edit in rest:
        means.journal.append(edit)
    return rest


def _now(means: Means, edit: EditPlanned) -> str | None:
    file = project(means).root / edit.path
    return digest(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else None


async def _commit(means: Means, stage: Stage, number: int, summary: str) -> None:
    made = await commit(means, f"Fix {number}", step=f"fix-{number}")
    means.journal.append(
        PolishFixed(stage=stage.name, iteration=number, outcome="accepted", reason=summary, commit=made)
    )


def _refuse(means: Means, stage: Stage, number: int, why: str) -> None:
    """The old version stays."""
    means.journal.append(PolishFixed(stage=stage.name, iteration=number, outcome="rejected", reason=why))
    means.journal.append(WarningGiven(text=f"the fix of iteration {number} was refused: {why}", code="fix_rejected"))


def check_rejected(rounds: Rounds) -> None:
    """Two refused fixes running need a person."""
    if rounds.rejected() >= MOST_REJECTED:
        why = rounds.rounds[-1].fix.reason if rounds.rounds[-1].fix else ""
        raise Stop(PolishStop.fix_rejected, f"{MOST_REJECTED} fixes running were refused: {why}")
