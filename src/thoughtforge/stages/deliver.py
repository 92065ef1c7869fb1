"""The last stage: words for the readers, the changelog, the whole suite in a clean checkout, the branch, the report."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence

from thoughtforge.agent.context import Block
from thoughtforge.agent.run import Run
from thoughtforge.calls.events import ActionTaken
from thoughtforge.code.changelog import ChangelogEntry, one_line
from thoughtforge.code.changelog_places import Told, entries_told, read_objects
from thoughtforge.code.exit import ExitReport, try_all
from thoughtforge.code.green import failing, gate, held_back, judged, within
from thoughtforge.code.red import lost
from thoughtforge.code.tool_context import Edit
from thoughtforge.coding.artifacts import message, report, title, whole_change
from thoughtforge.coding.building import CodeStage, StageBuild, build
from thoughtforge.coding.upstream import REPOSITORY, all_tests, without_tests
from thoughtforge.coding.writing import put, red_tests
from thoughtforge.kernel.model import JsonObject, Stage
from thoughtforge.kernel.ports import NeedsPerson, Produced
from thoughtforge.stages.together import handed_along
from thoughtforge.workspaces.changes import FileChange


async def work(run: Run, stage: Stage) -> Produced | NeedsPerson:
    """One round of the stage; the words for its readers may have come with the code."""
    session, given = await run.session(), handed_along(run, stage)
    fresh = "exit" not in run.record.stage(stage.name).measured and not run.record.memory(stage.name).recent
    if session is not None and given is not None and fresh:
        run.record.journal.append(
            ActionTaken(
                stage=stage.name,
                round=run.record.stage(stage.name).round,
                step=run.record.state.used.steps,
                role=given.role,
                tool="complete",
                outcome="ok",
                summary=f"handed in with {given.with_stage}",
                output=given.artifact,
                tree=await session.workspace.tree(),
            )
        )
    return await build(run, stage, PLAN)


async def _measure(site: StageBuild, notes: JsonObject) -> ExitReport:
    """Write the changelog, then prove the result as it will be committed."""
    told = await _changelog(site, notes)
    edits = [Edit(path, text.encode()) for path, text in told.files.items()]
    if edits:  # however long the changelog is, a person wrote it
        await put(site.run, site.stage, site.session, edits, limited=False)
    workspace = site.session.workspace
    tree = await workspace.tree()
    exit = ExitReport(tree)
    paths = set(await workspace.paths(tree))
    missing = [f"{doc['path']} does not exist" for doc in notes["docs"] if doc["path"] not in paths]
    exit.require("documentation_complete", missing, good=_documents(len(notes["docs"])))
    _changelog_told(exit, told, notes)
    await _suite(site, exit)
    changes = await workspace.changes(site.run.record.task.base_commit, tree)
    exit.report["changes"] = [c._asdict() for c in changes]
    built = await workspace.changes(site.run.record.task.base_commit, site.before)
    exit.report["product"] = [c.path for c in built if not site.session.is_test(c.path)]
    product = [c for c in changes if not site.session.is_test(c.path)]
    gate(exit, await site.session.gate.edit(judged(product)), given=within(site.session.is_test))
    _release_notes(exit, changes)
    exit.require("deployment_ready", [f"{c.name} does not hold" for c in exit.failed], good="every condition above")
    return exit


def _documents(count: int) -> str:
    return f"{count} document{'s' * (count != 1)} named" if count else "the notes name no document"


def _release_notes(exit: ExitReport, changes: Sequence[FileChange]) -> None:
    """Notes for a release are documents whose path says so; nobody has to write any."""
    wrote = [c for c in changes if c.path.startswith("docs/") and "release" in c.path.lower() and c.change == "created"]
    if not wrote:
        exit.not_run("release_notes", "no document for a release was written; the changelog is told above")
        return
    exit.require(
        "release_notes", [f"{c.path} is empty" for c in wrote if not c.added], good=", ".join(c.path for c in wrote)
    )


async def _suite(site: StageBuild, exit: ExitReport) -> None:
    """The whole suite in a clean checkout of what will be committed."""
    exit.report["results"] = {}
    if not site.session.tested:
        exit.not_run("whole_suite", "only documents were written")
        return
    session, red = site.session, red_tests(site.run)
    suite, tried = await asyncio.gather(session.test(exit.tree), try_all(session, red.held, exit.tree))
    known = {*session.baseline.failing, *session.baseline.flaky}
    bad = [f"{r.id}: {r.error}" for r in suite.results.values() if r.outcome == "failed" and r.id not in known]
    good = f"{len(suite.results)} tests in a clean checkout"
    exit.require("whole_suite", dict.fromkeys([*lost(session, suite), *bad, *failing(red, suite)]), good=good)
    held_back(exit, tried, red.held)  # code could behave until it sees that it is delivered
    exit.report["results"] = {id: result.outcome for id, result in suite.results.items()}


async def _changelog(site: StageBuild, notes: JsonObject) -> Told:
    """What tells the change, made from what the stage began with: a second attempt adds nothing twice."""
    git = site.session.workspace.git
    found = {entry.path: entry for entry in await git.entries(site.before)}
    entries = [ChangelogEntry(entry["kind"], entry["text"]) for entry in notes["changelog"]]
    slug = re.sub(r"[^a-z0-9]+", "-", title(site).lower()).strip("-")[:40].strip("-") or "change"
    kinds = {path: entry.kind for path, entry in found.items()}
    begin = site.run.library.config.change.changelog
    return await entries_told(kinds, read_objects(git, found), entries, slug=slug, begin=begin)


def _changelog_told(exit: ExitReport, told: Told, notes: JsonObject) -> None:
    """Every entry is in what will be committed; a changelog that cannot be continued is left alone, and why is said."""
    if told.note:
        exit.require(LISTED, [], good=f"left alone: {told.note}; the entries are in the report")
        return
    lines, where = "\n".join(told.files.values()), ", ".join(told.files)
    texts = [entry["text"] for entry in notes["changelog"]]
    bad = [f"{text!r} is not in {where}" for text in texts if told.files and one_line(text) not in lines]
    exit.require(LISTED, bad, good=f"{len(texts)} entries in {where}" if told.files else "the repository keeps none")


LISTED = "changelog_generated"


async def _told(site: StageBuild) -> Sequence[Block]:
    return [Block("what was changed", await whole_change(site), 1_500, floor=700, untrusted=True)]


PLAN = CodeStage(
    "delivery_notes",
    _measure,
    report,
    message("docs"),
    _told,
    upstream=REPOSITORY,
    guarded=without_tests,
    given=all_tests,
)
