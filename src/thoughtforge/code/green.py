"""Green's exit: red's tests pass for the right reason, nothing that worked is lost, the gate finds nothing new."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from thoughtforge.code import dependencies, rulings
from thoughtforge.code.alike import alike
from thoughtforge.code.criteria import plain
from thoughtforge.code.exit import ExitReport, HeldBack, try_all
from thoughtforge.code.red import lost, not_tried
from thoughtforge.code.session import CodeSession
from thoughtforge.gate.findings import Finding, GateVerdict, grouped
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.held_back import CaseResult
from thoughtforge.testing.proofs import change_all, judge, sees_tree, spoilable
from thoughtforge.testing.report import SuiteReport, told_all
from thoughtforge.workspaces.workspace import FileChange

HELD_BACK = "held_back_cases"
DETAILS = 12_000
"""Characters of all that is told of failing tests."""


class Red(NamedTuple):
    """What red left behind: its commit and the tests that must pass now."""

    commit: str
    files: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    """Files that could not be read at red; of these the names are known, not the ids."""
    held: HeldBack = HeldBack()
    old: tuple[str, ...] = ()
    """Tests that were there before and that red reaches: in files it added to, or below a new file of fixtures."""
    fixtures: tuple[str, ...] = ()
    """Files of fixtures that red created."""
    start: str = ""
    """The commit that has these files as they were."""


class Built(NamedTuple):
    """What is measured: the files, and what they were made from."""

    specification: JsonObject | None
    red: Red
    base: str
    tree: str
    coverage: bool = False


class Runs(NamedTuple):
    """Everything that was run for one exit."""

    suite: SuiteReport
    changed: SuiteReport | None
    tried: tuple[CaseResult, ...]
    unseen: str
    before: SuiteReport | None = None
    """The old tests that red reaches, with everything as it was before red."""


async def measure(session: CodeSession, built: Built) -> ExitReport:
    """Measure every condition of green's exit."""
    exit = ExitReport(built.tree)
    changes = await session.workspace.changes(built.base, built.tree)
    product = [c for c in changes if not session.is_test(c.path)]
    await untouched(exit, session, built, session.is_test)
    tree = await pinned_tree(session, built, session.is_test)
    runs = await run_all(session, built, tree, product)
    suite_holds(exit, session, built, runs.suite, before=runs.before)
    proofs_hold(exit, built, runs)
    gate(exit, await session.gate.edit(judged(product)), given=within(session.is_test))
    await dependencies.measure(exit, session, changes, specification=built.specification)
    ours = await dependencies.by_engine(session, built.specification, built.tree)
    _reach(exit, session, built, [c for c in product if c.path not in ours])
    exit.report["product"] = [c.path for c in product]
    exit.report["covered"] = {path: sorted(lines) for path, lines in runs.suite.covered.items()}
    return exit


def judged(product: Iterable[FileChange]) -> list[str]:
    """The files a gate looks at; the tests were judged when they were written, and nobody can correct them now."""
    return [change.path for change in product if change.change != "deleted"]


Pinned = Callable[[str], bool]
"""Whether a path stays as red's commit has it."""


async def untouched(exit: ExitReport, session: CodeSession, built: Built, pinned: Pinned) -> None:
    """The tests are red's, byte for byte, and nobody wrote past the bridge."""
    moved = await session.workspace.changes(built.red.commit, built.tree)
    touched = [c for c in moved if pinned(c.path) or (bool(c.old_path) and pinned(c.old_path or ""))]
    exit.require("tests_untouched", [f"{c.path} was {c.change}" for c in touched])
    strange = await session.workspace.matches()
    exit.require("workspace_as_recorded", [f"{path} was changed outside the bridge" for path in strange])


async def pinned_tree(session: CodeSession, built: Built, pinned: Pinned) -> str:
    """The files under judgement with the tests and the runner's configuration as red left them."""
    both = {*await session.workspace.paths(built.tree), *await session.workspace.paths(built.red.commit)}
    tests = sorted(path for path in both if pinned(path))
    return await session.workspace.overlay(built.tree, source=built.red.commit, paths=tests)


async def run_all(session: CodeSession, built: Built, tree: str, product: list[FileChange]) -> Runs:
    """The suite, the suite with changed expectations, the held-back cases and the suite on spoiled files."""
    paths = [c.path for c in product if c.change != "deleted"]
    suite, changed, tried, before = await asyncio.gather(
        session.test(tree, coverage=paths if built.coverage else ()),
        _changed(session, built, tree),
        try_all(session, built.red.held, tree),
        _before(session, built.red, tree),
    )
    return Runs(suite, changed, tried, await _unseen(session, built, tree, paths, suite), before)


async def _before(session: CodeSession, red: Red, tree: str) -> SuiteReport | None:
    """The old tests that red reaches, from their files as they were and without red's files of fixtures."""
    paths = sorted({id.partition("::")[0] for id in red.old})
    texts = {path: (await session.workspace.read(red.start, path)).decode("utf-8", "replace") for path in paths}
    none = dict.fromkeys(red.fixtures, "")
    return await session.test(tree, files=tuple(texts), instead=texts | none) if texts else None


async def _changed(session: CodeSession, built: Built, tree: str) -> SuiteReport | None:
    """Red's tests with changed expectations."""
    texts = {}
    for path in built.red.files:
        raw = await session.workspace.read(built.red.commit, path)
        texts[path] = raw.decode("utf-8", "replace")
    changed = {path: one.text for path, one in change_all(texts).items()}
    return await session.test(tree, files=tuple(changed), instead=changed) if changed else None


async def _unseen(session: CodeSession, built: Built, tree: str, paths: list[str], suite: SuiteReport) -> str:
    """Why the tests cannot have looked at these files; empty when they did."""
    code = [path for path in paths if spoilable(path, session.runner)]
    if suite.broken or not code or not (built.red.ids or built.red.names):
        return ""
    ours = {id: suite.results[id] for id in _wanted(built.red, suite) if id in suite.results}
    async with session.checkout(tree) as root:
        return await sees_tree(
            session.job(root)._replace(files=built.red.files),
            session.runner,
            changed=code,
            sandbox=session.sandbox,
            scratch=session.scratch,
            before=suite._replace(results=ours),
            writable=session.rules.tests.writable,
        )


def suite_holds(
    exit: ExitReport,
    session: CodeSession,
    built: Built,
    report: SuiteReport,
    *,
    whole: SuiteReport | None = None,
    before: SuiteReport | None = None,
) -> None:
    """Red's tests pass, and no test that passed before is lost; `whole` has all tests where `report` has only red's."""
    if report.broken:
        exit.require("all_tests_pass", [f"the run says nothing: {report.broken}"])
        return
    exit.require("all_tests_pass", failing(built.red, report), good=f"{len(_wanted(built.red, report))} tests of red")
    gone = lost(session, whole or report)
    if before is not None:
        gone += lost(session, before, session.baseline.passing.intersection(built.red.old))
    exit.require("no_regressions", dict.fromkeys(gone), good=f"{len(session.baseline.passing)} tests as before")
    exit.fact(
        tests_passed=sum(r.outcome == "passed" for r in report.results.values()),
        tests_failed=sum(r.outcome == "failed" for r in report.results.values()),
        tests_skipped=sum(r.outcome == "skipped" for r in report.results.values()),
    )
    exit.report["results"] = {id: r.outcome for id, r in report.results.items()}
    bad = {id: r for id, r in report.results.items() if r.outcome == "failed"}
    errors = told_all(bad.values(), DETAILS)
    exit.report["failures"] = {id: f"{r.path}:{r.line}: {errors[id]}" for id, r in bad.items()}


def _wanted(red: Red, report: SuiteReport) -> list[str]:
    """Red's ids; for what could not be read then, every id of the file or with one of its names."""
    files, names = set(red.unreadable), {plain(name) for name in red.names}
    grown = [id for id in report.results if id.partition("::")[0] in files or plain(id) in names]
    return sorted({*red.ids, *grown})


def failing(red: Red, report: SuiteReport) -> Iterable[str]:
    """Red's tests that do not pass, are gone, or were not there at red."""
    answered = {plain(id) for id in report.results}
    yield from (f"{name} is gone" for name in red.names if plain(name) not in answered)
    bad: list[tuple[str, str]] = []
    for id in _wanted(red, report):
        result = report.results.get(id)
        if result is None:
            yield f"{id} is gone"
        elif result.outcome != "passed":
            bad.append((id, f"{result.outcome}: {result.error}"))
    yield from alike(bad)
    ours = set(red.files)
    known = {*red.ids, *_wanted(red, report), *red.old}
    strange = [id for id in report.results if id.partition("::")[0] in ours and id not in known]
    yield from (f"{id} was not among red's tests" for id in strange if plain(id) not in {plain(k) for k in known})
    yield from (f"{item.path}:{item.line}: {item.error}" for item in report.unreadable if item.path in ours)


def proofs_hold(exit: ExitReport, built: Built, runs: Runs) -> None:
    """The tests see these files, notice changed expectations, and the held-back cases hold."""
    if runs.changed is None:
        exit.not_run("changed_expectations", "this language has no such proof yet" if built.red.files else "no tests")
    elif runs.changed.broken:
        exit.require("changed_expectations", [f"the run says nothing: {runs.changed.broken}"])
    else:
        forged = judge(runs.changed, _wanted(built.red, runs.suite))
        exit.require("changed_expectations", [f"{id} passes whatever it expects" for id in forged])
    held_back(exit, runs.tried, built.red.held)
    if built.red.files:
        exit.require("tests_see_the_change", [runs.unseen] if runs.unseen else [])


def held_back(exit: ExitReport, tried: tuple[CaseResult, ...], held: HeldBack) -> None:
    """What was held back holds; whoever wrote the code learns no more than the criterion."""
    alone = "; ".join(rulings.told(held))
    if not tried:
        exit.not_run(HELD_BACK, alone or "there are none")
        return
    if untried := not_tried([one for one in tried if one.imported]):
        exit.broken(HELD_BACK, "; ".join(untried))
        return
    outside = [f"outside the tests, {why}" for why in not_tried(tried)]  # before the change it could be imported
    wrong = sorted({one.criterion for one in tried if one.outcome != "pass" and one.imported})
    exit.require(
        HELD_BACK, [*outside, *(f"{id} does not hold for inputs you have not seen" for id in wrong)], good=alone
    )
    bad = {one.criterion for one in tried if one.outcome != "pass"}
    exit.report["held_back"] = [one._asdict() for one in tried]
    exit.fact(held_back_failed=len(bad))


def within(given: Callable[[str], bool]) -> Callable[[Finding], bool]:
    """Whether a finding is in a file of that kind."""
    return lambda finding: given(finding.path)


def gate(exit: ExitReport, verdict: GateVerdict, *, given: Callable[[Finding], bool]) -> None:
    """What the checks found that the base commit does not have.

    A type checker also answers for files that depend on the change. What it has against one that was `given` does not
    count and is kept on record: whoever is judged here may not correct it.
    """
    others = tuple(f for f in verdict.new if given(f))
    verdict = without(verdict, given)
    if verdict.broken:
        exit.broken("conformance_pass", "; ".join(f"{one.check}: {one.broken}" for one in verdict.broken))
        return
    types = [f for f in verdict.new if f.category == "types"]
    rest = [f for f in verdict.new if f.category != "types"]
    left = f"; {len(others)} in files that stay as they are do not count" if others else ""
    exit.require("type_check_pass", [group.told() for group in grouped(types)], good=left.removeprefix("; "))
    good = f"{len(verdict.existing)} older findings left"
    exit.require("conformance_pass", [group.told() for group in grouped(rest)], good=good)
    exit.report["findings"] = {
        "new": [f._asdict() for f in verdict.new],
        "existing": [f._asdict() for f in verdict.existing],
        **({"given": [f._asdict() for f in others]} if others else {}),
    }


def without(verdict: GateVerdict, given: Callable[[Finding], bool]) -> GateVerdict:
    """A verdict without what is new in files that were given."""
    return verdict._replace(new=tuple(f for f in verdict.new if not given(f)))


def lines_of(change: FileChange) -> int:
    """Lines added and removed; what is no text has none."""
    return (change.added or 0) + (change.removed or 0)


def _reach(exit: ExitReport, session: CodeSession, built: Built, product: list[FileChange]) -> None:
    """How far the change goes beyond what was specified."""
    rules = session.rules.change
    size = sum(map(lines_of, product))
    problems = [f"{size} lines changed, the limit is {rules.lines}"] if size > rules.lines else []
    outside: list[FileChange] = []
    if built.specification is not None:
        named = {*built.specification.get("files_to_modify", []), *built.specification.get("files_to_create", [])}
        outside = [c for c in product if c.path not in named]
        lines = sum(map(lines_of, outside))
        if len(outside) > rules.files_outside or lines > rules.lines_outside:
            names = ", ".join(c.path for c in outside[:5])
            problems.append(
                f"{len(outside)} files and {lines} lines lie outside the specification ({names}); "
                f"the limits are {rules.files_outside} and {rules.lines_outside}"
            )
    exit.require("within_reach", problems, good=f"{size} lines in {len(product)} files, {len(outside)} not specified")
    exit.fact(changed_lines=size, changed_files=len(product), files_outside=len(outside))
    exit.fact(trivial_change=size <= rules.trivial_lines and len(product) <= rules.trivial_files)
    if not product:
        exit.require("something_changed", ["no product file was changed"])


ID = re.compile(r"\bV-[0-9a-f]{12}\b")


def named(request: str) -> str | None:
    """The finding a request is about."""
    found = ID.search(request)
    return found.group() if found else None


async def measure_finding(exit: ExitReport, session: CodeSession, wanted: str) -> None:
    """Look for the finding in every file that was changed and everywhere else."""
    verdict = await session.gate.whole(await session.workspace.paths(exit.tree))
    if verdict.broken:
        exit.broken("finding_gone", "; ".join(f"{one.check}: {one.broken}" for one in verdict.broken))
        return
    left = [f for f in (*verdict.new, *verdict.existing) if f.id == wanted]
    exit.require("finding_gone", [f"{f.id} is still at {f.path}:{f.line}: {f.message}" for f in left], good=wanted)
