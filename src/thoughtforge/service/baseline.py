"""Measure the base commit: which tests pass, which waver, and that the tests look at these files at all."""

from __future__ import annotations

import asyncio

from thoughtforge.kernel.errors import Mistake, Stop
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.loop import Journal
from thoughtforge.kernel.ports import Blobs
from thoughtforge.kernel.stops import StopReason
from thoughtforge.suites.installed import holds_project, product_names
from thoughtforge.suites.result import Report
from thoughtforge.suites.run import writes_into_tree
from thoughtforge.suites.tree_seen import sees_tree
from thoughtforge.workshop import baseline as baselines
from thoughtforge.workshop.baseline import Baseline
from thoughtforge.workshop.workshop import Workshop


async def measured_baseline(journal: Journal, blobs: Blobs, workshop: Workshop) -> Baseline:
    """What is on record, else what two runs say. A suite that says nothing refuses the task."""
    import json

    known = journal.state.measured.get("baseline")
    if known is not None and known.report:
        return baselines.from_data(json.loads(blobs.get(known.report)))
    base = workshop.workspace.base
    await _dependencies_only(workshop)
    first, second = await asyncio.gather(workshop.test(base), workshop.test(base))
    if first.broken:
        advice = "; they write beside the code: set tests.writable: true" if writes_into_tree(first) else ""
        raise Stop(StopReason.check_broken, f"the tests of the base commit could not be run: {first.broken}{advice}")
    if not first.results and not workshop.rules.tests.allow_none:
        raise Mistake(
            "the repository has no test that runs",
            do="Add a first test and commit it, or set tests.allow_none: true in config.yaml.",
            details=tuple(f"{item.path}:{item.line}: {item.error}" for item in first.unreadable[:5]),
        )
    found = baselines.of(first, second)
    if found.passing:
        await _seen(workshop, first)
    findings = await workshop.gate.baseline()
    summary = (
        f"{len(found.passing)} tests pass, {len(found.failing)} fail, {len(found.flaky)} waver; "
        f"{len(findings)} findings"
    )
    journal.append(
        Measured(
            what="baseline",
            outcome="pass",
            summary=summary,
            facts={
                "tests_passing": len(found.passing),
                "tests_failing": len(found.failing),
                "tests_flaky": len(found.flaky),
                "findings": len(findings),
            },
            tree=base,
            report=blobs.put(json.dumps(found.data()).encode()),
        )
    )
    return found


async def _dependencies_only(workshop: Workshop) -> None:
    """An environment that holds the project itself would be tested instead of the workspace."""
    names = product_names(await workshop.workspace.paths(workshop.workspace.base))
    wrong = await holds_project(workshop.environment, names, sandbox=workshop.sandbox)
    if wrong:
        raise Stop(StopReason.check_broken, "tests do not see the workspace: " + "; ".join(wrong))


async def _seen(workshop: Workshop, before: Report) -> None:
    """The same tests on files that cannot be imported must fail, or they look at something else."""
    paths = [path for path in await workshop.workspace.paths(workshop.workspace.base) if not workshop.is_test(path)]
    async with workshop.checkout(workshop.workspace.base) as root:
        unseen = await sees_tree(
            workshop.job(root),
            workshop.runner,
            changed=paths,
            sandbox=workshop.sandbox,
            scratch=workshop.scratch,
            before=before,
            writable=workshop.rules.tests.writable,
        )
    if unseen:
        raise Stop(StopReason.check_broken, unseen)
