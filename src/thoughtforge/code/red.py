"""Red's exit: the tests exist, each one fails today because the behaviour is missing, and the old ones still pass."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

from thoughtforge.code.criteria import ids_of, listed, plain, resolve
from thoughtforge.code.exit import ExitReport, HeldBack, try_all
from thoughtforge.code.session import CodeSession
from thoughtforge.code.waiting import broken_tests, unreadable_files
from thoughtforge.contracts.rules_files import criteria, guards
from thoughtforge.gate.findings import grouped
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.cases import AnyCase, HeldBackFile, check_cases
from thoughtforge.testing.held_back import CaseResult
from thoughtforge.testing.language import language_of
from thoughtforge.testing.proofs import change_all, knows_assertions
from thoughtforge.testing.report import SuiteReport, TestResult

JUDGED = ("syntax", "style", "security", "honesty")
"""What the gate can judge while tests are written. They use what does not exist yet, so nobody judges their types and
imports: later stages leave them as they are."""


class Written(NamedTuple):
    """What the agent handed in, with the files it is about."""

    specification: JsonObject
    handed: JsonObject
    cases: tuple[AnyCase, ...]
    files: tuple[HeldBackFile, ...]
    start: str
    """The tree the stage began with."""
    tree: str
    strict: bool = False
    """Whether every criterion needs an expected value that can be changed: nothing else judges the tests."""


class New(NamedTuple):
    """The new tests: those that answered, and the names in files that could not be read yet."""

    results: dict[str, TestResult]
    names: frozenset[str]
    """Ids without parameters, from the text of files that need something that does not exist yet."""

    @property
    def ids(self) -> frozenset[str]:
        """Everything a listed test may stand for."""
        return frozenset(self.results) | self.names

    def without(self, ids: Collection[str]) -> New:
        """The tests that must fail today: all but the regression guards."""
        return New({id: r for id, r in self.results.items() if id not in ids}, self.names - frozenset(ids))


async def measure(session: CodeSession, written: Written) -> ExitReport:
    """Measure every condition of red's exit."""
    exit = ExitReport(written.tree)
    changes = await session.workspace.changes(written.start, written.tree)
    old = {c.path: await _text(session, written.start, c.path) for c in changes if c.change == "modified"}
    texts = {c.path: await _text(session, written.tree, c.path) for c in changes if c.change != "deleted"}
    foreign = [f"{c.path} is no test" for c in changes if not session.only_tests(c)]
    exit.require("only_tests_written", [*foreign, *await _wrong_additions(session, written, old, texts)])
    wrong = await _wrong_cases(session, written, texts)
    report, tried = await asyncio.gather(_report(session, written.tree), _cases(session, written, wrong))
    untried = [] if session.own_setup else not_tried(tried)
    if report.broken and not session.own_setup:
        exit.require("tests_are_valid", [f"the run says nothing: {report.broken}"])
        return exit
    await _gate(exit, session, sorted(texts))
    new = _new(session, report, texts)
    tested = _mapped(exit, written, new, session.baseline.passing)
    kept = _guarding(exit, written, tested)
    if report.broken:
        _not_set_up(exit, report.broken)
    else:
        _valid(exit, session, report, new.without(kept), written, added=old)
        await _guards(exit, session, written, kept, report)
    _assertions(exit, texts, new, tested if written.strict else {})
    gone = await _gone(session, report, written, old) if session.baseline.passing or not session.own_setup else []
    exit.require("old_tests_pass", gone, good=f"{len(session.baseline.passing)} tests as before")
    if untried:
        exit.broken("cases_held_back", "; ".join(untried))
    else:
        exit.require("cases_held_back", [*wrong, *_unfit(tried, guards(written.specification))], good=_held(written))
    exit.fact(new_tests=len(new.ids), held_back_cases=len(written.cases), requirement_coverage="100%")
    fixtures = [c.path for c in changes if c.change == "created" and _serves(c.path)]
    exit.report["red"] = {
        "files": sorted(texts),
        "ids": sorted(new.results),
        "names": sorted(new.names),
        "unreadable": sorted({item.path for item in report.unreadable if item.path in texts}),
        "old": sorted(id for id in session.baseline.outcomes if id.partition("::")[0] in old or _served(id, fixtures)),
        "fixtures": fixtures,
        "start": written.start,
    }
    return exit


def _serves(path: str) -> bool:
    """Whether a file serves every test below its folder."""
    language = language_of(path)
    return language is not None and bool(language.fixtures) and PurePosixPath(path).name == language.fixtures


def _served(id: str, fixtures: Collection[str]) -> bool:
    """Whether a new file of fixtures reaches a test that was there before."""
    return any(PurePosixPath(id.partition("::")[0]).is_relative_to(PurePosixPath(one).parent) for one in fixtures)


async def _wrong_additions(
    session: CodeSession, written: Written, old: dict[str, str], texts: dict[str, str]
) -> list[str]:
    """What is wrong with test files that were there before and have other text now."""
    if not old:
        return []
    from thoughtforge.code.appending import addition_problems

    if written.strict:
        return [f"{path} was there before; create a test file" for path in old]
    return [wrong for path in old for wrong in await addition_problems(session, path, old[path], texts[path])]


async def _report(session: CodeSession, tree: str) -> SuiteReport:
    return SuiteReport(broken=session.unready) if session.unready else await session.test(tree)


async def _gate(exit: ExitReport, session: CodeSession, paths: list[str]) -> None:
    """Nobody can correct the tests after red, so what the gate has against them is settled here."""
    verdict = await session.gate.edit(paths)
    broken = [one for one in verdict.broken if one.category in JUDGED]
    if broken:
        exit.broken("conformance_pass", "; ".join(f"{one.check}: {one.broken}" for one in broken))
        return
    new = [finding for finding in verdict.new if finding.category in JUDGED]
    exit.require("conformance_pass", [group.told() for group in grouped(new)])


async def _text(session: CodeSession, tree: str, path: str) -> str:
    return (await session.workspace.read(tree, path)).decode("utf-8", "replace")


def _not_set_up(exit: ExitReport, why: str) -> None:
    """A new project whose set-up is the builder's: what cannot be run yet is said, and never counted as held."""
    for name in ("tests_are_valid", "all_tests_fail"):
        exit.not_run(name, f"nothing can be run before the project is set up: {why}"[:400])


def _new(session: CodeSession, report: SuiteReport, texts: dict[str, str]) -> New:
    if report.broken:
        return New({}, frozenset(name for path in texts for name in session.runner.names(path, texts[path])))
    results = {id: r for id, r in report.results.items() if id not in session.baseline.outcomes}
    waiting = [item.path for item in report.unreadable if item.path in texts and item.cause == "missing"]
    names = {name for path in waiting for name in session.runner.names(path, texts[path])}
    return New(results, frozenset(names) - {plain(id) for id in session.baseline.outcomes})


def _valid(
    exit: ExitReport,
    session: CodeSession,
    report: SuiteReport,
    new: New,
    written: Written,
    *,
    added: Collection[str] = (),
) -> None:
    """Tests collect; every new one fails, for a missing behaviour."""
    known_bad = set(session.baseline.unreadable)
    specification = written.specification
    unreadable = [item for item in report.unreadable if item.path not in known_bad]
    broken = unreadable_files(unreadable, specification, written.handed)
    broken += [
        f"{item.path}: the tests of this file cannot run any more; import what does not exist yet inside the new tests"
        for item in unreadable
        if item.path in added
    ]
    exit.require(
        "tests_are_valid",
        [*broken, *broken_tests(session, new.results.values(), written.specification, written.handed)],
        good=f"{len(new.ids)} new tests",
    )
    early = [f"{r.id} {r.outcome} before the behaviour exists" for r in new.results.values() if r.outcome != "failed"]
    if early and (kept := sorted(guards(specification))):
        early.append(
            f"only tests of a regression guard pass today ({', '.join(kept)}): list each for its own criterion"
        )
    exit.require("all_tests_fail", early or ([] if new.ids else ["there is no new test"]))


async def first_look(session: CodeSession, paths: Iterable[str], specification: JsonObject) -> str:
    """How the new tests of these files stand today, in one line; empty when nothing can be run."""
    files = tuple(path for path in paths if session.runner.is_test(path))
    if not files or not session.tested or session.unready:
        return ""
    tree = await session.workspace.tree()
    report = await session.test(tree, files=files)
    if report.broken:
        return f"the new tests cannot be run: {report.broken}"
    new = _new(session, report, {path: await _text(session, tree, path) for path in files})
    unread = unreadable_files(report.unreadable, specification, {})
    broken = [*unread, *broken_tests(session, new.results.values(), specification)]
    early = [f"{r.id} {r.outcome}" for r in new.results.values() if r.outcome != "failed"]
    waits = len(new.ids) - len(early) - (len(broken) - len(unread))
    may = " (right for a regression guard alone)" if early and guards(specification) else ""
    told = f"new tests: {waits} fail as they must, {len(early)} do not fail{may}, {len(broken)} broken"
    return "; first: ".join([told, *[*broken, *early][:1]])


def _mapped(exit: ExitReport, written: Written, new: New, old: frozenset[str]) -> dict[str, list[str]]:
    """Every listed test exists, and every criterion has one; criterion → its tests. `old` ones may only guard."""
    known, kept = criteria(written.specification), guards(written.specification)
    problems: list[str] = []
    tested: dict[str, list[str]] = {}
    for test in listed(written.handed):
        criterion = resolve(test, known)
        ids = ids_of(test, new.ids | old if criterion in kept else new.ids)
        if not ids:
            problems.append(f"{test.path} has no new test {test.name}")
        elif criterion is None:
            problems.append(f"{test.name}: {test.requirement} has no criterion {test.criterion[:80]!r}")
        else:
            tested.setdefault(criterion, []).extend(ids)
    problems += [f"no test decides {id}: {text}" for id, text in known.items() if id not in tested]
    exit.require("tests_exist", problems, good=f"{len(known)} criteria")
    exit.report["criteria"] = tested
    return tested


def _guarding(exit: ExitReport, written: Written, tested: dict[str, list[str]]) -> frozenset[str]:
    """The tests of regression guards; one that also decides new behaviour must fail today like any other."""
    kept = guards(written.specification)
    mine = {id for criterion, ids in tested.items() if criterion in kept for id in ids}
    others = {id for criterion, ids in tested.items() if criterion not in kept for id in ids}
    exit.report["guards"] = sorted(mine - others)
    return frozenset(mine - others)


async def _guards(
    exit: ExitReport, session: CodeSession, written: Written, ids: frozenset[str], report: SuiteReport
) -> None:
    """What must stay as it is: its tests hold today, and hold for a reason."""
    if not guards(written.specification):
        return
    from thoughtforge.code.guards import unproved  # few specifications have any

    wrong = await unproved(session, written.tree, ids, report)
    exit.require("guards_hold", wrong, good=f"{len(ids)} tests of {', '.join(sorted(guards(written.specification)))}")


def _held(written: Written) -> str:
    """What is held back; test files prove less than data and are said to."""
    weaker = ", ".join(sorted({file.criterion for file in written.files}))
    kept = ", ".join(sorted(guards(written.specification)))
    told = f"{len(written.cases)} cases" + (f"; weaker, as test files: {weaker}" if weaker else "")
    return told + (f"; regression guards, which hold today: {kept}" if kept else "")


def _assertions(exit: ExitReport, texts: dict[str, str], new: New, tested: dict[str, list[str]]) -> None:
    """Every new test asserts something; every criterion of `tested` has an expected value that can be changed."""
    fresh = {plain(id) for id in new.ids}
    try:
        changed = change_all(texts)
    except SyntaxError:
        changed = {}  # told as a file that cannot be read
    nothing = [f"{id} asserts nothing" for one in changed.values() for id in one.tests_without if id in fresh]
    weak = {id for one in changed.values() for id in (*one.tests_without, *one.tests_weak)}
    nothing += [
        f"no test of {criterion} expects a value: whether something exists, can be called or is not None says nothing"
        for criterion, ids in tested.items()
        if {plain(id) for id in ids} <= weak
    ]
    if texts and not knows_assertions(texts):
        exit.not_run("tests_assert_something", "the engine does not know the assertions of this language")
        return
    exit.require("tests_assert_something", nothing)


async def _gone(session: CodeSession, report: SuiteReport, written: Written, added: dict[str, str]) -> list[str]:
    """The old tests that are lost. Those of a file that was added to hold as the file is and as it was before."""
    if session.runner.COMPILES_TOGETHER and report.unreadable:
        return lost(session, await session.test(written.start))  # new files keep everything from compiling
    gone = lost(session, report)
    if added and not gone:
        before = await session.test(written.tree, files=tuple(added), instead=added)
        gone = lost(session, before, [id for id in session.baseline.passing if id.partition("::")[0] in added])
    return gone


def lost(session: CodeSession, report: SuiteReport, ids: Iterable[str] | None = None) -> list[str]:
    """Tests that passed at the base commit and do not now; `ids` are those to look at, all by default."""
    if report.broken:
        return [f"the run says nothing: {report.broken}"]
    problems = []
    for id in sorted(session.baseline.passing if ids is None else ids):
        result = report.results.get(id)
        if result is None:
            problems.append(f"{id} is gone")
        elif result.outcome != "passed":
            problems.append(f"{id} passed before and now {result.outcome}: {result.error}")
    return problems


async def _wrong_cases(session: CodeSession, written: Written, texts: dict[str, str]) -> list[str]:
    """What is wrong with what is held back, before any of it is tried."""
    there = set(await session.workspace.paths(written.tree))
    wrong = list(check_cases(written.cases, tuple(criteria(written.specification)), files=written.files, seen=texts))
    wrong += [f"{file.path} is no test file" for file in written.files if not session.is_test(file.path)]
    return wrong + [f"{file.path} exists already" for file in written.files if file.path in there]


async def _cases(session: CodeSession, written: Written, wrong: list[str]) -> tuple[CaseResult, ...]:
    """What the held-back cases come to today. What is wrong as it stands is not tried."""
    numbers = {int(found[1]) for one in wrong if (found := re.match(r"case (\d+)\b", one))}
    sound = tuple(case for number, case in enumerate(written.cases, start=1) if number not in numbers)
    files = tuple(file for file in written.files if not any(one.startswith(file.path) for one in wrong))
    return await try_all(session, HeldBack(sound, files), written.tree)


def _unfit(tried: Iterable[CaseResult], kept: Collection[str]) -> list[str]:
    """A held-back case fails today, that of a regression guard holds."""
    return [
        f"the case for {one.criterion} holds already, so it proves nothing"
        if one.criterion not in kept
        else f"the case for {one.criterion} does not hold today, as that of a regression guard must: {one.detail}"
        for one in tried
        if (one.outcome == "pass") != (one.criterion in kept)
    ]


def holds_already(tried: Iterable[CaseResult]) -> list[str]:
    """The cases that hold today, none of them a regression guard's."""
    return _unfit(tried, ())


def not_tried(tried: Iterable[CaseResult]) -> list[str]:
    """Why cases could not be tried: each cause once, with its criteria."""
    causes: dict[str, list[str]] = {}
    for one in tried:
        if one.outcome == "broken" or not one.imported:
            causes.setdefault(one.detail, []).append(one.criterion)
    return [f"{why} (held-back cases of {', '.join(dict.fromkeys(ids))})" for why, ids in causes.items()]
