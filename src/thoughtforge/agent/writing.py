"""An agent's edit: on record before it is made, made, then judged at once; the verdict is the tool's answer."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Literal

from thoughtforge.agent.means import Means
from thoughtforge.gate.verdict import Verdict
from thoughtforge.kernel.errors import Mistake
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage
from thoughtforge.suites.result import Report
from thoughtforge.workshop.affected import affected
from thoughtforge.workshop.desk import Desk, Edit
from thoughtforge.workshop.red import JUDGED
from thoughtforge.workshop.workshop import Workshop
from thoughtforge.workspaces import edits as files
from thoughtforge.workspaces.events import EditPlanned

SHOWN = 12


async def write(means: Means, stage: Stage, desk: Desk, wanted: Sequence[Edit]) -> str:
    """Make edits together and run the every-edit gate on them."""
    workshop = desk.the_workshop()
    before = await workshop.workspace.tree()
    await put(means, stage, workshop, wanted)
    await _show(desk, workshop)
    tree = await workshop.workspace.tree()
    await _snapshot(means, workshop, before, tree)
    return await judge(means, stage, workshop, [edit.path for edit in wanted if edit.data is not None])


async def put(means: Means, stage: Stage, workshop: Workshop, wanted: Sequence[Edit]) -> None:
    """Make edits, each on record before it is made."""
    planned = [_plan(means, stage, workshop, edit) for edit in wanted]
    for edit, plan in zip(wanted, planned, strict=True):
        files.apply(workshop.workspace.folder, plan, means.blobs)
        await workshop.workspace.put(edit.path, edit.data, executable=plan.mode == "100755")


def _plan(means: Means, stage: Stage, workshop: Workshop, edit: Edit) -> EditPlanned:
    most = workshop.rules.change.file_kb * 1024
    if edit.data is not None and len(edit.data) > most:
        raise Mistake(f"{edit.path} would have {len(edit.data):,} bytes, the limit is {most:,}", do="Write less.")
    after = None
    if edit.data is not None:
        after = means.blobs.put(edit.data, exact=True)
    planned = EditPlanned(
        stage=stage.name,
        step=means.journal.state.used.steps,
        path=edit.path,
        before=files.digest_of(workshop.workspace.folder, edit.path),
        after=after,
        mode=_mode(workshop, edit),
    )
    if after is not None and after != hashlib.sha256(edit.data or b"").hexdigest():
        raise RuntimeError("the store keeps something else than what is to be written")
    means.journal.append(planned)
    return planned


def _mode(workshop: Workshop, edit: Edit) -> Literal["", "100644", "100755"]:
    if edit.data is None:
        return ""
    if edit.executable is None:
        return files.mode_of(workshop.workspace.folder, edit.path)
    return "100755" if edit.executable else "100644"


async def _show(desk: Desk, workshop: Workshop) -> None:
    """From now on tools read the new files."""
    await desk.tree.close()
    desk.tree = await workshop.view()


async def _snapshot(means: Means, workshop: Workshop, before: str, after: str) -> None:
    """A patch per step, for people."""
    patch = await workshop.workspace.diff(before, after)
    folder = workshop.scratch.parent / "snapshots"
    folder.mkdir(exist_ok=True)
    name = f"step_{means.journal.state.used.steps:04}.patch"
    (folder / name).write_text(means.masker.text(patch), encoding="utf-8")


async def judge(means: Means, stage: Stage, workshop: Workshop, paths: Sequence[str]) -> str:
    """The every-edit gate on these files, and the nearest tests; put on record and told in words."""
    red = stage.output_contract == "test_suite"
    verdict, report = await asyncio.gather(workshop.gate.edit(paths), _nearest(workshop, paths, red=red))
    new = tuple(f for f in verdict.new if not red or f.category in JUDGED)
    broken = [o for o in verdict.broken if not red or o.category in JUDGED]
    if any(f.category == "syntax" for f in new):
        report = None  # whatever the tests said, they said it of a file that cannot be read
    failing = _failing(workshop, report)
    lines = [
        f"- {f.id} {f.severity} {f.path}:{f.line} {f.category}/{f.check}: {f.message} → {f.hint}" for f in new[:SHOWN]
    ]
    lines += [f"- broken: {o.check}: {o.broken}" for o in broken]
    lines += [f"- test {line}" for line in failing[:SHOWN]]
    summary = f"{len(new)} new findings" + (f", {len(failing)} affected tests failing" if report else "")
    means.journal.append(
        Measured(
            stage=stage.name,
            round=means.stage(stage.name).round,
            step=means.journal.state.used.steps,
            what="edit",
            outcome="broken" if broken else "fail" if new or failing else "pass",
            summary=summary,
            facts={
                "findings": len(new),
                "affected_tests": len(report.results) if report else 0,
                "affected_failing": len(failing),
                "gate_ms": round(verdict.seconds * 1000),
                "next_action": _next(verdict, failing, new=bool(new)),
            },
            tree=await workshop.workspace.tree(),
            report=means.put({"findings": [f._asdict() for f in new], "failing": failing}),
        )
    )
    return "\n".join([f"gate: {summary}", *lines])


async def _nearest(workshop: Workshop, paths: Sequence[str], *, red: bool) -> Report | None:
    """The tests nearest to these files, as many as fit into the time; None when there are none to run."""
    if red or not workshop.tested:
        return None
    tests = await affected(workshop, paths, seconds=workshop.rules.tests.affected_seconds)
    return await workshop.test(await workshop.workspace.tree(), files=tests) if tests else None


def _next(verdict: Verdict, failing: list[str], *, new: bool) -> str:
    if new:
        return verdict.next_action
    return f"Make {failing[0].partition(' ')[0]} pass." if failing else ""


def _failing(workshop: Workshop, report: Report | None) -> list[str]:
    """Affected tests that do not pass and are not known to fail."""
    if report is None:
        return []
    if report.broken:
        return [f"run broken: {report.broken}"]
    known = {*workshop.baseline.failing, *workshop.baseline.flaky}
    bad = [r for r in report.results.values() if r.outcome == "failed" and r.id not in known]
    lines = [f"{r.id} {r.path}:{r.line} {r.error}" for r in bad]
    return lines + [
        f"{u.path}:{u.line} {u.error}" for u in report.unreadable if u.path not in workshop.baseline.unreadable
    ]
