"""The exit of a fix: everything a build must hold, something that changed, and the test a critical point asks for."""

from __future__ import annotations

from thoughtforge.code.exit import ExitReport
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import red_tests
from thoughtforge.deliverables.code.exit import measure
from thoughtforge.deliverables.code.files import is_code
from thoughtforge.kernel.model import JsonObject
from thoughtforge.polish.finding import PERSON
from thoughtforge.think.deliverable import FixOrder, digest
from thoughtforge.workspaces.workspace import FileChange


async def measure_fix(site: StageBuild, handed: JsonObject, order: FixOrder) -> ExitReport:
    """Measured like a build; the tests of critical points are tried on the code before the fix as well."""
    exit = await measure(site, handed)
    moved = [c for c in await site.session.workspace.changes(site.before, exit.tree) if is_code(c.path)]
    changed = [c.path for c in moved if await _says_else(site, c, exit.tree)]
    gone = declined(handed, order)
    answered = {one.id for one in order.findings} <= gone.keys() and not order.measured
    same = [] if changed or answered else ["the code says the same as before; blank lines do not count"]
    exit.require("something_changed", same)
    wanted = [one for one in order.findings if one.severity == "critical" and one.test and one.id not in gone]
    if wanted and not exit.facts.get("build_broken"):
        shown = await _shown_before(site, exit)
        told = "no test of yours fails on the code before this fix and passes now; bring one that checks"
        exit.require("fix_has_its_test", [] if shown else [f"{one.id}: {told}: {one.test}" for one in wanted])
    return exit


def declined(handed: JsonObject, order: FixOrder) -> dict[str, str]:
    """The points of reviewers that are not followed, by id, with the reason and the words that speak for it."""
    may = {one.id for one in order.findings if one.source != PERSON}
    rows = (row for row in handed.get("declined", ()) if row["id"] in may)
    return {row["id"]: f"{row['reason']} (“{row['quote']}”)" for row in rows}


async def _says_else(site: StageBuild, change: FileChange, tree: str) -> bool:
    """Whether a file says something else than before; one that came, went or moved does."""
    git, old = site.session.workspace.git, change.old_path or change.path
    before, now = [await git.blob(treeish, old) for treeish in (site.before, tree)]
    if before is None or now is None:
        return True
    return digest(before.decode("utf-8", "replace")) != digest(now.decode("utf-8", "replace"))


async def _shown_before(site: StageBuild, exit: ExitReport) -> bool:
    """Whether a test that the fix adds or changes fails without the rest of it."""
    session = site.session
    given = set(red_tests(site.run).files)
    changed = await session.workspace.changes(site.before, exit.tree)
    tests = sorted(c.path for c in changed if c.change != "deleted" and session.is_test(c.path) and c.path not in given)
    if not tests:
        return False
    before = await session.workspace.tree_of(site.before)
    mixed = await session.workspace.overlay(before, source=exit.tree, paths=tests)
    report = await session.test(mixed, files=tuple(path for path in tests if session.runner.is_test(path)))
    now = exit.report.get("results", {})
    held = {id for id, outcome in now.items() if outcome == "passed" and id.partition("::")[0] in tests}
    failed = {id for id, one in report.results.items() if one.outcome == "failed"}
    unread = {item.path for item in report.unreadable}
    return bool(held & failed) or any(id.partition("::")[0] in unread for id in held)
