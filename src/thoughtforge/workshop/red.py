"""Red's exit: the tests exist, each one fails today because the behaviour is missing, and the old ones still pass."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import NamedTuple

from thoughtforge.kernel.model import JsonObject
from thoughtforge.suites.case_rules import check_cases
from thoughtforge.suites.cases import AnyCase, HeldBackFile
from thoughtforge.suites.expectations import change_all
from thoughtforge.suites.result import Report, TestResult
from thoughtforge.workshop.criteria import criteria, ids_of, listed, plain, resolve, will_exist
from thoughtforge.workshop.exit import Exit
from thoughtforge.workshop.held_back import Held, try_all
from thoughtforge.workshop.workshop import Workshop

JUDGED = ("syntax", "style", "security", "honesty")
"""What the gate can judge while tests are written: they use what does not exist yet, so types and imports wait."""


class Written(NamedTuple):
    """What the agent handed in, with the files it is about."""

    specification: JsonObject
    handed: JsonObject
    cases: tuple[AnyCase, ...]
    files: tuple[HeldBackFile, ...]
    start: str
    """The tree the stage began with."""
    tree: str


class New(NamedTuple):
    """The new tests: those that answered, and the names in files that could not be read yet."""

    results: dict[str, TestResult]
    names: frozenset[str]
    """Ids without parameters, from the text of files that need something that does not exist yet."""

    @property
    def ids(self) -> frozenset[str]:
        """Everything a listed test may stand for."""
        return frozenset(self.results) | self.names


async def measure(workshop: Workshop, written: Written) -> Exit:
    """Measure every condition of red's exit."""
    exit = Exit(written.tree)
    changes = await workshop.workspace.changes(written.start, written.tree)
    exit.hold("only_tests_written", [f"{c.path} is no test" for c in changes if not workshop.only_tests(c)])
    texts = {c.path: await _text(workshop, written.tree, c.path) for c in changes if c.change != "deleted"}
    wrong = await _wrong_cases(workshop, written, texts)
    report, tried = await asyncio.gather(workshop.test(written.tree), _cases(workshop, written, wrong))
    if report.broken:
        exit.hold("tests_are_valid", [f"the run says nothing: {report.broken}"])
        return exit
    await _gate(exit, workshop, sorted(texts))
    new = _new(workshop, report, texts)
    _valid(exit, workshop, report, new, written)
    _mapped(exit, written, new)
    exit.hold("tests_assert_something", _asserting_nothing(texts, new))
    old = await _old(workshop, report, written)
    exit.hold("old_tests_pass", lost(workshop, old), good=f"{len(workshop.baseline.passing)} tests as before")
    exit.hold("cases_held_back", [*wrong, *tried], good=_held(written))
    exit.fact(new_tests=len(new.ids), held_back_cases=len(written.cases), requirement_coverage="100%")
    exit.report["red"] = {
        "files": sorted(texts),
        "ids": sorted(new.results),
        "names": sorted(new.names),
        "unreadable": sorted({item.path for item in report.unreadable if item.path in texts}),
    }
    return exit


async def _gate(exit: Exit, workshop: Workshop, paths: list[str]) -> None:
    """Nobody can correct the tests after red, so what the gate has against them is settled here."""
    verdict = await workshop.gate.edit(paths)
    broken = [one for one in verdict.broken if one.category in JUDGED]
    if broken:
        exit.broken("conformance_pass", "; ".join(f"{one.check}: {one.broken}" for one in broken))
        return
    new = [finding for finding in verdict.new if finding.category in JUDGED]
    exit.hold("conformance_pass", [f"{f.id} {f.path}:{f.line} {f.check}: {f.message}" for f in new])


async def _text(workshop: Workshop, tree: str, path: str) -> str:
    return (await workshop.workspace.read(tree, path)).decode("utf-8", "replace")


def _new(workshop: Workshop, report: Report, texts: dict[str, str]) -> New:
    results = {id: r for id, r in report.results.items() if id not in workshop.baseline.outcomes}
    waiting = [item.path for item in report.unreadable if item.path in texts and item.cause == "missing"]
    names = {name for path in waiting for name in workshop.runner.names(path, texts[path])}
    return New(results, frozenset(names))


def _valid(exit: Exit, workshop: Workshop, report: Report, new: New, written: Written) -> None:
    """Tests collect; every new one fails, for a missing behaviour."""
    known_bad = set(workshop.baseline.unreadable)
    specification = written.specification
    unreadable = [item for item in report.unreadable if item.path not in known_bad]
    broken = [
        f"{item.path}:{item.line}: {item.error}"
        for item in unreadable
        if not (item.cause == "missing" and will_exist(item.missing, specification))
    ]
    exit.hold("tests_are_valid", [*broken, *_broken_tests(new, specification)], good=f"{len(new.ids)} new tests")
    early = [f"{r.id} {r.outcome} before the behaviour exists" for r in new.results.values() if r.outcome != "failed"]
    exit.hold("all_tests_fail", early or ([] if new.ids else ["there is no new test"]))


def _broken_tests(new: New, specification: JsonObject) -> Iterator[str]:
    for result in new.results.values():
        waits = result.cause == "missing" and will_exist(result.missing, specification)
        if result.outcome == "failed" and result.cause != "assertion" and not waits:
            yield f"{result.id} is broken, not waiting for the behaviour: {result.error}"


def _mapped(exit: Exit, written: Written, new: New) -> None:
    """Every listed test exists, and every criterion has one."""
    known = criteria(written.specification)
    problems: list[str] = []
    tested: dict[str, list[str]] = {}
    for test in listed(written.handed):
        ids = ids_of(test, new.ids)
        criterion = resolve(test, known)
        if not ids:
            problems.append(f"{test.path} has no new test {test.name}")
        elif criterion is None:
            problems.append(f"{test.name}: {test.requirement} has no criterion {test.criterion[:80]!r}")
        else:
            tested.setdefault(criterion, []).extend(ids)
    problems += [f"no test decides {id}: {text}" for id, text in known.items() if id not in tested]
    exit.hold("tests_exist", problems, good=f"{len(known)} criteria")
    exit.report["criteria"] = tested


def _held(written: Written) -> str:
    """What is held back; test files prove less than data and are said to."""
    weaker = ", ".join(sorted({file.criterion for file in written.files}))
    return f"{len(written.cases)} cases" + (f"; weaker, as test files: {weaker}" if weaker else "")


def _asserting_nothing(texts: dict[str, str], new: New) -> Iterator[str]:
    fresh = {plain(id) for id in new.ids}
    try:
        changed = change_all(texts)
    except SyntaxError:
        return  # told as a file that cannot be read
    for one in changed.values():
        yield from (f"{id} asserts nothing" for id in one.tests_without if id in fresh)


async def _old(workshop: Workshop, report: Report, written: Written) -> Report:
    """The old tests, without the new files where those keep everything from compiling."""
    if not (workshop.runner.COMPILES_TOGETHER and report.unreadable):
        return report
    return await workshop.test(written.start)


def lost(workshop: Workshop, report: Report) -> list[str]:
    """Tests that passed at the base commit and do not now."""
    if report.broken:
        return [f"the run says nothing: {report.broken}"]
    problems = []
    for id in sorted(workshop.baseline.passing):
        result = report.results.get(id)
        if result is None:
            problems.append(f"{id} is gone")
        elif result.outcome != "passed":
            problems.append(f"{id} passed before and now {result.outcome}: {result.error}")
    return problems


async def _wrong_cases(workshop: Workshop, written: Written, texts: dict[str, str]) -> list[str]:
    """What is wrong with what is held back, before any of it is tried."""
    there = set(await workshop.workspace.paths(written.tree))
    wrong = list(check_cases(written.cases, tuple(criteria(written.specification)), files=written.files, seen=texts))
    wrong += [f"{file.path} is no test file" for file in written.files if not workshop.is_test(file.path)]
    return wrong + [f"{file.path} exists already" for file in written.files if file.path in there]


async def _cases(workshop: Workshop, written: Written, wrong: list[str]) -> list[str]:
    """Held-back cases that hold already decide nothing. What is wrong as it stands is not tried."""
    if wrong:
        return []
    tried = await try_all(workshop, Held(written.cases, written.files), written.tree)
    return [
        f"the case for {one.criterion} holds already, so it proves nothing" for one in tried if one.outcome == "pass"
    ]
