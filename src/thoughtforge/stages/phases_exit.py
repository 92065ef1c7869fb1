"""When a phase may commit: its files and no others are changed, and they are clean. Old tests it breaks are owed."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from thoughtforge.code.exit import ExitReport
from thoughtforge.code.green import gate, judged
from thoughtforge.code.red import lost
from thoughtforge.code.session import CodeSession
from thoughtforge.coding.building import StageBuild
from thoughtforge.forge.change_spec import change_specs, changes_of
from thoughtforge.forge.phase import MET, PlanPhase
from thoughtforge.forge.place import whole
from thoughtforge.forge.plan import PLAN
from thoughtforge.gate.findings import Finding
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.report import SuiteReport
from thoughtforge.workspaces.changes import FileChange


async def measure_phase(site: StageBuild, handed: JsonObject, phase: PlanPhase) -> ExitReport:
    """The exit of a phase that writes."""
    run, workspace = site.run, site.session.workspace
    exit = ExitReport(await workspace.tree())
    plan = run.record.journal.of(PLAN)
    allowed = {*phase.context_files, *plan.allowed(phase.id)}
    wanted = [str(one["path"]) for one in handed.get("needs", ()) if one["path"] not in allowed]
    if exit.require("files_at_hand", [f"{path} is not among the files of the phase" for path in wanted]):
        changes = await workspace.changes(site.before, exit.tree)
        _changed(exit, handed, phase, changes, allowed=allowed)
        exit.require("workspace_as_recorded", [f"{p} was changed past the tools" for p in await workspace.matches()])
        found = site.session.judged(await site.session.gate.edit(judged(changes)))
        gate(exit, found, given=elsewhere(site.session, allowed))
        await owed(exit, site, last=_is_last(plan.phases, phase))
    return exit


def elsewhere(session: CodeSession, files: Collection[str]) -> Callable[[Finding], bool]:
    """What only is told: type errors beside the files of a phase, where the base commit has one of the same rule.

    A call that the type checker never understood has one more when the plan adds a parameter; nobody may correct it.
    """
    return lambda one: one.category == "types" and bool(files) and one.path not in files and session.gate.stood(one)


def _changed(
    exit: ExitReport, handed: JsonObject, phase: PlanPhase, changes: tuple[FileChange, ...], *, allowed: set[str]
) -> None:
    """Every file of the phase, and every one a person allowed, was changed or left for a reason; no other changed."""
    paths = list(dict.fromkeys(path for change in changes for path in (change.path, change.old_path) if path))
    exit.report["changed"] = paths
    if allowed:
        strange = [f"{path} is not among the files of the phase" for path in paths if path not in allowed]
        exit.require("only_its_files", strange, good=f"{len(paths)} files")
    told = {str(one["path"]) for one in handed.get("untouched", ())}
    wanted = [*phase.context_files, *sorted(allowed.difference(phase.context_files))]
    left = [path for path in wanted if path not in paths and path not in told]
    exit.require(
        "planned_files_changed", [f"{path} is unchanged: change it, or say why not in untouched" for path in left]
    )


def _is_last(phases: tuple[PlanPhase, ...], phase: PlanPhase) -> bool:
    """Whether no other phase that writes is still to come."""
    rest = [one for one in phases if one.kind == "implement" and one.id != phase.id]
    return all(one.status in MET for one in rest)


async def owed(exit: ExitReport, site: StageBuild, *, last: bool) -> None:
    """Run all tests: those that fail now and did not at the base are owed; with the last phase they must pass."""
    session = site.session
    exit.report["owed"] = []
    if not session.tested:
        exit.not_run("tests", "this repository has no tests")
        return
    suite = await session.test(exit.tree)
    if suite.broken:
        exit.require("tests", [f"the run says nothing: {suite.broken}"])
        return
    failing = await _without_removed(exit, site, _failing(site, suite))
    passed = sum(one.outcome == "passed" for one in suite.results.values())
    exit.report["owed"] = list(failing)
    exit.fact(tests_passed=passed, tests_owed=len(failing))
    if last:
        exit.require("no_test_owed", failing.values(), good=f"{passed} tests pass")
        return
    told = f"{passed} tests pass" + (f", {len(failing)} are owed: {', '.join(list(failing)[:3])}" if failing else "")
    exit.require("tests_run", [], good=told)


REMOVES = (
    r"`{path}`\W*(?:(?:delete|remove)(?:[ \t]+(?:it|this file|the (?:test )?file))?[ \t]*"
    r"(?:[.,;]|$|(?:with|together|along|because|as|since)\b)|(?:rename|move)[ \t]+(?:it[ \t]+)?to\b)"
)
"""How a plan says of a file itself, and not of something in it, that it is not to be there afterwards."""


def _removes(spec: str, path: str) -> bool:
    return re.search(REMOVES.format(path=re.escape(path)), spec, re.IGNORECASE | re.MULTILINE) is not None


async def _without_removed(exit: ExitReport, site: StageBuild, failing: dict[str, str]) -> dict[str, str]:
    """Nobody owes the tests of a file that is gone because the approved plan says so; how many they are is told."""
    run = site.run
    specs = change_specs(changes_of(whole(run.record.blobs, run.record.journal.of(PLAN))))
    there = {*await site.session.workspace.paths(exit.tree)}
    gone = {path for path in specs.blocks if path not in there and _removes(specs.of([path]), path)}
    left = {id: why for id, why in failing.items() if id.partition("::")[0] not in gone}
    if len(left) < len(failing):
        exit.fact(tests_removed=len(failing) - len(left))
    return left


def _failing(site: StageBuild, suite: SuiteReport) -> dict[str, str]:
    """Test id → what is wrong with it, of those that did not fail at the base commit."""
    baseline = site.session.baseline
    known = {*baseline.failing, *baseline.flaky}
    found = {line.partition(" ")[0]: line for line in lost(site.session, suite)}
    for one in suite.results.values():
        if one.outcome == "failed" and one.id not in known:
            found.setdefault(one.id, f"{one.id} failed: {one.error}")
    for item in suite.unreadable:
        if item.path not in baseline.unreadable:
            found.setdefault(item.path, f"{item.path}:{item.line} cannot be read: {item.error}")
    return found
