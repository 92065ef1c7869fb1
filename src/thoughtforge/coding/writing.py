"""The one way an edit gets into files: on record first, then made; what a crash cut short is made up for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from thoughtforge.agent.memory import PENDING
from thoughtforge.agent.run import Run
from thoughtforge.code.dependencies import added, declaring
from thoughtforge.code.exit import read_held
from thoughtforge.code.green import Red
from thoughtforge.code.rulings import ruled
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import BOM, Edit, ToolContext
from thoughtforge.coding.judging import judge
from thoughtforge.definitions.drivers import PRODUCT, TESTS, first_that_writes, writes
from thoughtforge.gate.import_order import in_order
from thoughtforge.kernel.errors import UserError
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.state import StageState
from thoughtforge.people.rulings import RULINGS
from thoughtforge.polish.events import RETESTED
from thoughtforge.workspaces import changes as files
from thoughtforge.workspaces.events import CommitMade, EditPlanned


def plan_edit(run: Run, stage: Stage, root: Path, edit: Edit) -> EditPlanned:
    """Put an edit of a file below `root` on record; nothing is made yet."""
    after = run.record.blobs.put(edit.data, exact=True) if edit.data is not None else None
    if after is not None and after != hashlib.sha256(edit.data or b"").hexdigest():
        raise RuntimeError("the store keeps something else than what is to be written")
    planned = EditPlanned(
        stage=stage.name,
        step=run.record.journal.state.used.steps,
        path=edit.path,
        before=files.digest_of(root, edit.path),
        after=after,
        mode=_mode(root, edit),
    )
    run.record.journal.append(planned)
    return planned


def write_edits(run: Run, stage: Stage, root: Path, wanted: Sequence[Edit]) -> tuple[EditPlanned, ...]:
    """Plan edits together, then make them."""
    planned = tuple(plan_edit(run, stage, root, edit) for edit in wanted)
    for one in planned:
        files.apply(root, one, run.record.blobs)
    return planned


def make_up(run: Run, stage: Stage, root: Path) -> bool:
    """Make the edits of a stage that a crash cut short; whether there were any. What a person changed since stays."""
    left = [edit for edit in run.record.journal.of(PENDING) if edit.stage == stage.name]
    for edit in left:
        try:
            files.apply(root, edit, run.record.blobs)
        except UserError:
            continue
    return bool(left)


def _mode(root: Path, edit: Edit) -> Literal["", "100644", "100755"]:
    if edit.data is None:
        return ""
    if edit.executable is None:
        return files.mode_of(root, edit.path)
    return "100755" if edit.executable else "100644"


async def write(run: Run, stage: Stage, context: ToolContext, wanted: Sequence[Edit], *, red: bool) -> str:
    """Make edits together and run the every-edit gate on them; `red` is for a stage that writes tests."""
    session = context.the_session()
    before = await session.workspace.tree()
    ordered = [await _in_order(context, edit) for edit in wanted]
    await put(run, stage, session, ordered)
    await lock(run, stage, session)
    await show(context, session)
    tree = await session.workspace.tree()
    told = await session.follow(tree) if session.own_setup else ""
    await _snapshot(run, session, before, tree)
    verdict = await judge(run, stage, context, [edit.path for edit in wanted if edit.data is not None], red=red)
    if ordered != list(wanted):
        verdict = f"imports were put in order\n{verdict}"
    return f"{verdict}\n- set-up: {told}" if told else verdict


async def _in_order(context: ToolContext, edit: Edit) -> Edit:
    """An edit with its new imports in order, as the gate wants them; what stood in a file of tests is not touched."""
    data = edit.data or b""
    if b"\r" in data or not _readable(data):
        return edit
    after = (await in_order(context.the_session().gate, edit.path, data.decode("utf-8"))).encode()
    if context.only_own and not context.own(edit.path) and not after.startswith(await context.before(edit.path)):
        return edit
    return edit._replace(data=after) if after != data else edit


def _readable(data: bytes) -> bool:
    try:
        return not data.decode("utf-8").startswith(BOM)
    except UnicodeDecodeError:
        return False


LOCKED = "lock"
"""What the record calls locks that the engine made in the course of an agent's edit."""


async def lock(run: Run, stage: Stage, session: CodeSession, *, what: str = LOCKED) -> None:
    """The locks that the declarations of a new project lack, written by the engine and on record like every edit."""
    made = await session.locks(await session.workspace.tree())
    if not made.texts:
        return
    await put(run, stage, session, [Edit(path, text.encode()) for path, text in made.texts.items()], limited=False)
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.journal.state.used.steps,
            what=what,
            outcome="pass",
            summary=f"the engine made {', '.join(made.texts)}",
            facts={"network": "; ".join(made.commands)},
            tree=await session.workspace.tree(),
        )
    )


async def put(run: Run, stage: Stage, session: CodeSession, wanted: Sequence[Edit], *, limited: bool = True) -> None:
    """Make edits, each on record before it is made; what a person wrote themselves may be of any size."""
    for edit in wanted if limited else ():
        _check_size(session, edit)
    planned = write_edits(run, stage, session.workspace.folder, wanted)
    for edit, plan in zip(wanted, planned, strict=True):
        await session.workspace.put(edit.path, edit.data, executable=plan.mode == "100755")


def _check_size(session: CodeSession, edit: Edit) -> None:
    most = session.rules.change.file_kb * 1024
    if edit.data is not None and len(edit.data) > most:
        raise UserError(f"{edit.path} would have {len(edit.data):,} bytes, the limit is {most:,}", do="Write less.")


async def show(context: ToolContext, session: CodeSession) -> None:
    """From now on tools read the new files."""
    await context.tree.close()
    context.tree = await session.view()


async def _snapshot(run: Run, session: CodeSession, before: str, after: str) -> None:
    """A patch per step, for people."""
    patch = await session.workspace.diff(before, after)
    folder = session.scratch.parent / "snapshots"
    folder.mkdir(exist_ok=True)
    name = f"step_{run.record.journal.state.used.steps:04}.patch"
    (folder / name).write_text(run.library.masker.text(patch), encoding="utf-8")


async def install_dependencies(run: Run, stage: Stage, session: CodeSession) -> None:
    """Install what the specification adds, from what a person allows; then declare it, on record like every edit."""
    if not session.tested:
        return
    new = await added(session, run.record.accepted().get("specification"))
    if new or run.record.journal.state.measured.get("dependencies"):  # an earlier specification may have added others
        await session.supply([one.line for one in new])
    if not new or stage != first_that_writes(run.record.task.pipeline, PRODUCT):
        return
    path, text = await declaring(session, new)
    if not await _differs(session, path):
        await put(run, stage, session, [Edit(path, text.encode())])


async def _differs(session: CodeSession, path: str) -> bool:
    """Whether a file is no longer as the base commit has it: then it was declared before, and is measured later."""
    changes = await session.workspace.changes(session.workspace.base, await session.workspace.tree())
    return path in {name for change in changes for name in (change.path, change.old_path)}


OUTSIDE = "test_suite"
"""The contract of tests that are brought in from outside."""


def red_tests(run: Run, *, ruling: bool = True) -> Red:
    """What red left behind, as it was changed since; of tests that came from outside, what the base commit has.

    `ruling` is whether what a person ruled about held-back cases is applied.
    """
    mine = _passed(run)
    if mine is not None:
        report = run.record.artifact(mine.measured["exit"].report or "") or {}
        first = run.record.artifact(mine.measured["held_back_cases"].report or "") or {}
        later = retested(run)
        kept, _ = read_held(later or first)
        known = report["red"]
        return Red(
            commit=mine.commit,
            files=tuple(dict.fromkeys((*known["files"], *later.get("files", ())))),
            ids=tuple(known["ids"]),
            names=tuple(known["names"]),
            unreadable=tuple(known["unreadable"]),
            held=ruled(kept, run.record.journal.of(RULINGS)) if ruling else kept,
            old=tuple(known.get("old", ())),
            start=known.get("start", ""),
            fixtures=tuple(known.get("fixtures", ())),
        )
    return _given(run)


def retested(run: Run) -> JsonObject:
    """The tests as they were changed for what a person asked for later: files, interface, held-back cases."""
    known = run.record.journal.of(RETESTED).report
    return (run.record.artifact(known) if known else None) or {}


def suite(run: Run) -> JsonObject:
    """The accepted tests: of the stage that wrote them, or brought in from outside; empty without any."""
    mine = _passed(run)
    made = run.record.artifact(mine.artifact) if mine and mine.artifact else run.record.accepted().get(OUTSIDE)
    return made or {}


def _passed(run: Run) -> StageState | None:
    """The stage that wrote the tests, when it has passed."""
    stages = [run.record.stage(stage.name) for stage in run.record.task.pipeline.stages if writes(stage) == TESTS]
    return next((stage for stage in stages if stage.status == "passed"), None)


def _given(run: Run) -> Red:
    given = suite(run)
    files = tuple(file["path"] for file in given.get("test_files", []))
    names = tuple(f"{f['path']}::{t['name']}" for f in given.get("test_files", []) for t in f["tests"])
    return Red(commit=run.record.task.base_commit, files=files, names=names)


async def put_commit(run: Run, stage: Stage, session: CodeSession, commit: str) -> None:
    """A commit the workspace is at, with the object itself, so that it can be made again."""
    git = session.workspace.git
    raw = run.record.blobs.put(await git.output("cat-file", "commit", commit), exact=True)
    tree = await session.workspace.tree_of(commit)
    run.record.journal.append(CommitMade(stage=stage.name, commit=commit, tree=tree, raw=raw))
