"""What the auditor and the fixer of an implemented plan are shown: what was measured, done, said and changed."""

from __future__ import annotations

from collections.abc import Sequence

from thoughtforge.agent.context import CODE, MEASURED, Block
from thoughtforge.agent.run import Run
from thoughtforge.code.exit import ExitReport
from thoughtforge.coding.building import StageBuild
from thoughtforge.forge.plan import PLAN, ChangePlan, findings
from thoughtforge.kernel.model import Criterion
from thoughtforge.stages.phases_material import at_hand_now
from thoughtforge.workspaces.tree import FileTree

MOST_OWED = 12
"""Owed tests that are named to the auditor."""


def suite_told(run: Run, suite: ExitReport) -> str:
    """The tests of the repository before the plan and now."""
    before = run.record.journal.state.measured.get("baseline")
    passed = suite.facts.get("tests_passed")
    now = "not measured" if passed is None else f"{passed} tests pass, {len(suite.report['owed'])} are owed"
    rows = [
        f"- before the plan: {before.summary if before else 'not measured'}",
        f"- now: {now}",
        *(f"- owed, for it passed before and fails now: {one}" for one in suite.report["owed"][:MOST_OWED]),
        *(f"- {one.name}: {one.outcome}: {one.detail}" for one in suite.criteria),
    ]
    return "\n".join(rows)


def commands_told(tested: tuple[Criterion, ...]) -> str:
    """The commands of the plan, and how they ended."""
    return "\n".join(f"- {one.name}: {one.outcome}: {one.detail}" for one in tested)


def phases_told(plan: ChangePlan) -> str:
    """What each phase says it did."""
    return "\n".join(f"- {one.id} {one.status}: {one.title}: {one.output}" for one in plan.phases)


def fixes_told(plan: ChangePlan) -> str:
    """What each fix says it did, or why it was refused."""
    return "\n".join(
        f"- fix {one.round}, {one.outcome}{f', {one.commit[:12]}' if one.commit else ''}: {one.summary or one.why}"
        for one in plan.fixes
    )


def raised_block(plan: ChangePlan, *, blocking: bool = False) -> Block:
    """What closing audits found; `blocking` is what the last one blocked."""
    last = plan.closing[-1:] if blocking else plan.closing
    rows = [
        f"- {point.id} {point.severity} ({point.location}): {point.title}\n  why: {point.description}\n"
        f"  recommended: {point.recommendation}"
        for one in last
        for point in one.findings
        if not blocking or point.severity == "blocking"
    ]
    title = "findings to settle" if blocking else "what earlier audits of the change raised"
    return Block(title, "\n".join(rows), 2_500, floor=1_000, untrusted=True, need=MEASURED)


async def fix_at_hand(site: StageBuild, tree: FileTree, files: tuple[str, ...]) -> Sequence[Block]:
    """The places of the findings to settle, what this fix changed, and what the plan changed before in those files."""
    found = [
        one for one in findings(site.run.record.journal.of(PLAN).closing[-1].findings) if one.severity == "blocking"
    ]
    named = [path for path in files if any(path in one.location for one in found)]
    before = await site.session.workspace.diff(site.run.record.task.base_commit, site.before, named)
    title = f"what the plan changed in {', '.join(named) or 'its files'}"
    change = Block(title, before, 1_500, floor=300, untrusted=True, need=CODE)
    return [*await at_hand_now(site, tree, files, found=found), change]
