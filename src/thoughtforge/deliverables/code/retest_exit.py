"""The exit of a change to given tests: one fails for want of what is asked for, none is broken, weak or gone."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping

from thoughtforge.code.criteria import plain
from thoughtforge.code.exit import ExitReport, HeldBack, read_held, try_all
from thoughtforge.code.red import JUDGED, holds_already, not_tried
from thoughtforge.code.waiting import broken_tests, unreadable_files
from thoughtforge.coding.building import StageBuild
from thoughtforge.coding.writing import red_tests
from thoughtforge.contracts.rules_files import criteria
from thoughtforge.deliverables.code.files import specification
from thoughtforge.gate.findings import grouped
from thoughtforge.kernel.model import JsonObject
from thoughtforge.testing.cases import check_cases
from thoughtforge.testing.proofs import change_all
from thoughtforge.testing.report import SuiteReport
from thoughtforge.think.documents import allow

TRIES = 2
"""Hand-ins that may fail before the change is refused."""


async def measure_tests(site: StageBuild, handed: JsonObject) -> ExitReport:
    """Every condition, on the code as it was before the fix."""
    allow(site.run, "test_exec", deliverable="code")
    session, workspace = site.session, site.session.workspace
    exit = ExitReport(await workspace.tree())
    moved = await workspace.changes(site.before, exit.tree)
    strange = [f"{path} was changed outside the bridge" for path in await workspace.matches()]
    foreign = [f"{c.path} is no test" for c in moved if not session.only_tests(c)]
    exit.require("only_tests_written", [*foreign, *strange])
    new, problems = read_held(handed)
    exit.require("cases_can_be_read", problems)
    texts = {c.path: await _text(site, exit.tree, c.path) for c in moved if c.change != "deleted"}
    before = {c.path: await _text(site, site.before, c.path) for c in moved if c.change == "modified"}
    exit.report["changed"] = sorted(texts)
    gone = {str(row["name"]) for row in handed.get("dropped", ())}
    wrong = [*await _wrong_cases(site, new, gone, exit.tree)]
    report, tried = await asyncio.gather(
        session.test(exit.tree), try_all(session, HeldBack() if wrong else new, exit.tree)
    )
    if report.broken:
        exit.require("tests_are_valid", [f"the run says nothing: {report.broken}"])
        return exit
    verdict = await session.gate.edit(sorted(texts))
    found = [finding for finding in verdict.new if finding.category in JUDGED]
    exit.require("conformance_pass", [group.told() for group in grouped(found)])
    exit.require("tests_are_valid", _broken(site, report, texts, handed))
    exit.require("no_test_lost", _lost(site, report, gone))
    exit.require("expectations_kept", _weakened(before, texts))
    if untried := not_tried(tried):
        exit.broken("cases_held_back", "; ".join(untried))
    else:
        exit.require("cases_held_back", [*wrong, *holds_already(tried)])
    asks = bool(new.some) or any(one.outcome == "failed" for one in report.results.values()) or report.unreadable
    nothing = "no test and no case fails today: nothing of it asks for what the person wants"
    exit.require(
        "wish_is_tested", [nothing] if (texts or gone) and not asks and not _only_taken_out(texts, gone) else []
    )
    return exit


def _only_taken_out(texts: Mapping[str, str], gone: Collection[str]) -> bool:
    """Whether tests or cases were only taken out: what the person no longer wants needs no test."""
    return bool(gone) and all(any(name.startswith(f"{path}::") for name in gone) for path in texts)


async def _text(site: StageBuild, tree: str, path: str) -> str:
    return (await site.session.workspace.read(tree, path)).decode("utf-8", "replace")


async def _wrong_cases(site: StageBuild, new: HeldBack, gone: Collection[str], tree: str) -> list[str]:
    """What is wrong with the cases as they stand: of names, inputs, and criteria that lose their last one."""
    red, known = red_tests(site.run), criteria(specification(site.run))
    there = set(await site.session.workspace.paths(tree))
    seen = {path: await _text(site, tree, path) for path in red.files if path in there}
    held = dict(zip(red.held.names, (*red.held.cases, *red.held.files), strict=True))
    mine = {one.criterion for one in (*new.cases, *new.files)}
    wrong = [*check_cases(new.cases, tuple(mine & known.keys()), files=new.files, seen=seen)]
    wrong += [f"{name} is no held-back case" for name in gone if "::" not in name and name not in held]
    left = {one.criterion for name, one in held.items() if name not in gone} | mine
    bare = {one.criterion for one in held.values()} - left
    return wrong + [f"{one} has no held-back case left; hand one in for it" for one in sorted(bare)]


def _broken(site: StageBuild, report: SuiteReport, texts: Mapping[str, str], handed: JsonObject) -> list[str]:
    wanted = specification(site.run)
    asked = {**wanted, "interfaces": [*wanted["interfaces"], *handed.get("interface", ())]}
    mine = [one for one in report.results.values() if one.id.partition("::")[0] in texts]
    others = [one.id for one in report.results.values() if one not in mine and one.outcome == "failed"]
    known = site.session.baseline.passing
    return [
        *unreadable_files(report.unreadable, asked, handed),
        *broken_tests(site.session, mine, asked, handed),
        *(f"{id} fails now, and its file was not changed" for id in others if id in known),
    ]


def _lost(site: StageBuild, report: SuiteReport, gone: Collection[str]) -> list[str]:
    """Tests that are not there any more and were not named; other parameters make no other test."""
    waiting = {item.path for item in report.unreadable}
    now = {plain(id) for id in report.results}
    named = {plain(name) for name in gone}
    old = {plain(id) for id in site.session.baseline.passing if id.partition("::")[0] not in waiting}
    return [f"{id} is gone; name it under dropped with the reason" for id in sorted(old - now - named)]


def _weakened(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """Tests that expected a value and expect none any more, and new ones that assert nothing."""
    try:
        old, new = change_all(before), change_all(now)
    except SyntaxError:
        return []  # told as a file that cannot be read
    empty = {id for one in new.values() for id in one.tests_without}
    weak = {id for one in new.values() for id in one.tests_weak}
    known = {id for one in old.values() for id in (*one.tests_without, *one.tests_weak)}
    return [
        f"{id} expects no value"
        for id in sorted((empty | (weak & {id for id in weak if id.partition("::")[0] in before})) - known)
    ]


def numbered(held: HeldBack, new: HeldBack, *, gone: Collection[str], first: int) -> HeldBack:
    """The cases that are left and the new ones, each under a name of its own."""
    names = [f"H-{number}" for number in range(first, first + len(new.names))]
    pairs = [
        *zip(held.names, held.cases, strict=False),
        *zip(names, new.cases, strict=False),
    ]
    files = [
        *zip(held.names[len(held.cases) :], held.files, strict=False),
        *zip(names[len(new.cases) :], new.files, strict=False),
    ]
    cases = [(name, case) for name, case in pairs if name not in gone]
    kept = [(name, file) for name, file in files if name not in gone]
    return HeldBack(
        tuple(case for _, case in cases),
        tuple(file for _, file in kept),
        tuple(name for name, _ in (*cases, *kept)),
    )
