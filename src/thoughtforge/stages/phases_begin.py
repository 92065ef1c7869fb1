"""A phase begins: what a failed attempt left is taken back, but for the files that somebody touched since."""

from __future__ import annotations

from thoughtforge.agent.run import Run
from thoughtforge.code.tool_context import Edit
from thoughtforge.coding.writing import put
from thoughtforge.forge.events import FilesTouched, PhaseStarted
from thoughtforge.forge.phase import PlanPhase
from thoughtforge.forge.plan import PLAN
from thoughtforge.forge.status import PlanStatus
from thoughtforge.kernel.events import Measured, WarningGiven
from thoughtforge.kernel.model import Stage
from thoughtforge.stages.phases_build import digest_now, open_session
from thoughtforge.stages.phases_moves import lead
from thoughtforge.workspaces.past import TAKEN_IN


async def begin(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Take back what an attempt before left, and begin."""
    if phase.status == "failed":
        _keep_touched(run, stage, phase)
    await take_back(run, stage, phase)
    left = tuple(run.record.journal.of(PLAN).touched)
    if left:
        told = f"{phase.id} begins again; these files stay as you left them: {', '.join(left)}"
        run.record.journal.append(WarningGiven(text=told, code="plan_touched"))
    auditing = phase.kind == "audit"
    lead(run, PlanStatus.auditing if auditing else PlanStatus.implementing, why=f"{phase.id} begins")
    run.record.journal.append(PhaseStarted(stage=stage.name, phase=phase.id, left=left))


def _keep_touched(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Put the files of a failed phase on record that are not as it left them.

    The session makes every file of the workspace what is on record, so this comes before it is opened.
    """
    plan, folder = run.record.journal.of(PLAN), run.workspace
    if plan.touched or folder is None or not folder.is_dir():
        return
    found = {}
    for path, before in plan.facts[phase.id].hashes.items():
        now = digest_now(folder, path)
        if now is not None and now != before:
            found[path] = run.record.blobs.put((folder / path).read_bytes(), exact=True) if now else ""
    if found:
        run.record.journal.append(FilesTouched(stage=stage.name, phase=phase.id, files=found))


async def take_back(run: Run, stage: Stage, phase: PlanPhase) -> None:
    """Bring back what a failed attempt at this phase changed, or what a skipped phase left."""
    session = await open_session(run)
    workspace, plan = session.workspace, run.record.journal.of(PLAN)
    before = plan.commits[-1] if plan.commits else run.record.task.base_commit
    changes = await workspace.changes(before, await workspace.tree())
    known = set(await workspace.paths(before))
    wanted = []
    for path in dict.fromkeys(path for change in changes for path in (change.path, change.old_path) if path):
        if path not in plan.touched:
            wanted.append(Edit(path, await workspace.read(before, path) if path in known else None))
    reverted = len(wanted)
    for path, digest in plan.touched.items():
        if digest != digest_now(workspace.folder, path):
            wanted.append(Edit(path, run.record.blobs.get(digest) if digest else None))
    if not wanted:
        return
    await put(run, stage, session, wanted, limited=False)
    await session.gate.edit([one.path for one in wanted])  # it takes in what it is not told of only when it is opened
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.state.used.steps,
            what=TAKEN_IN,
            outcome="pass",
            summary=f"{phase.id}: {reverted} files reverted, {len(plan.touched)} left because they were touched since",
            tree=await workspace.tree(),
        )
    )
