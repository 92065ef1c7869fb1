"""The last stage: words for the readers, the changelog, the whole suite in a clean checkout, the branch, the report."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from thoughtforge.agent.building import Plan, Site, build
from thoughtforge.agent.built import message
from thoughtforge.agent.context import Block
from thoughtforge.agent.delivery import report, whole_change
from thoughtforge.agent.means import Means
from thoughtforge.agent.red_tests import red_tests
from thoughtforge.agent.writing import put
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import Asked, Made
from thoughtforge.workshop import changelog
from thoughtforge.workshop.commit_message import one_line
from thoughtforge.workshop.desk import Edit
from thoughtforge.workshop.exit import Exit
from thoughtforge.workshop.green import failing, gate, held_back, judged
from thoughtforge.workshop.held_back import try_all
from thoughtforge.workshop.red import lost
from thoughtforge.workspaces.diffs import Change


async def work(means: Means, stage: Stage) -> Made | Asked:
    """One round of the stage."""
    return await build(means, stage, PLAN)


async def _measure(site: Site, notes: JsonObject) -> Exit:
    """Write the changelog, then prove the result as it will be committed."""
    await _changelog(site, notes)
    workspace = site.workshop.workspace
    tree = await workspace.tree()
    exit = Exit(tree)
    paths = set(await workspace.paths(tree))
    missing = [f"{doc['path']} does not exist" for doc in notes["docs"] if doc["path"] not in paths]
    exit.hold("documentation_complete", missing, good=f"{len(notes['docs'])} documents")
    said = await _said(site, tree, notes)
    exit.hold("changelog_generated", said, good=f"{len(notes['changelog'])} entries")
    await _suite(site, exit)
    changes = await workspace.changes(site.means.task.base_commit, tree)
    exit.report["changes"] = [c._asdict() for c in changes]
    built = await workspace.changes(site.means.task.base_commit, site.before)
    exit.report["product"] = [c.path for c in built if not site.workshop.is_test(c.path)]
    gate(exit, await site.workshop.gate.edit(judged(c for c in changes if not site.workshop.is_test(c.path))))
    _release_notes(exit, changes)
    exit.hold("deployment_ready", [f"{c.name} does not hold" for c in exit.failed], good="every condition above")
    return exit


def _release_notes(exit: Exit, changes: Sequence[Change]) -> None:
    """Notes for a release are documents whose path says so; nobody has to write any."""
    wrote = [c for c in changes if c.path.startswith("docs/") and "release" in c.path.lower() and c.change == "created"]
    if not wrote:
        exit.not_run("release_notes", "none were written")
        return
    exit.hold(
        "release_notes", [f"{c.path} is empty" for c in wrote if not c.added], good=", ".join(c.path for c in wrote)
    )


async def _suite(site: Site, exit: Exit) -> None:
    """The whole suite in a clean checkout of what will be committed."""
    exit.report["results"] = {}
    if not site.workshop.tested:
        exit.not_run("whole_suite", "only documents were written")
        return
    workshop, red = site.workshop, red_tests(site.means)
    suite, tried = await asyncio.gather(workshop.test(exit.tree), try_all(workshop, red.held, exit.tree))
    known = {*workshop.baseline.failing, *workshop.baseline.flaky}
    bad = [f"{r.id}: {r.error}" for r in suite.results.values() if r.outcome == "failed" and r.id not in known]
    good = f"{len(suite.results)} tests in a clean checkout"
    exit.hold("whole_suite", dict.fromkeys([*lost(workshop, suite), *bad, *failing(red, suite)]), good=good)
    held_back(exit, tried)  # code could behave until it sees that it is delivered
    exit.report["results"] = {id: result.outcome for id, result in suite.results.items()}


async def _changelog(site: Site, notes: JsonObject) -> None:
    """The entries on top of the changelog the stage began with, so that a second attempt does not add them twice."""
    workspace = site.workshop.workspace
    paths = await workspace.paths(site.before)
    path = changelog.find(paths)
    text = (await workspace.read(site.before, path)).decode("utf-8", "replace") if path in paths else None
    entries = [changelog.Entry(entry["kind"], entry["text"]) for entry in notes["changelog"]]
    await put(site.means, site.stage, site.workshop, [Edit(path, changelog.with_entries(text, entries).encode())])


async def _said(site: Site, tree: str, notes: JsonObject) -> list[str]:
    """The entries that are not in the changelog as it will be committed."""
    workspace = site.workshop.workspace
    path = changelog.find(await workspace.paths(tree))
    lines = (await workspace.read(tree, path)).decode("utf-8", "replace")
    return [f"{e['text']!r} is not in {path}" for e in notes["changelog"] if one_line(e["text"]) not in lines]


async def _told(site: Site) -> Sequence[Block]:
    return [Block("what was changed", await whole_change(site), 1_500, floor=700, untrusted=True)]


PLAN = Plan("delivery_notes", _measure, report, message("docs"), _told)
