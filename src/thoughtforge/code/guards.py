"""Regression guards: tests of what must stay as it is. They pass today, and only because of what the code does."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator

from thoughtforge.code.session import CodeSession
from thoughtforge.testing.proofs import change_all, idle, judge, marked, spoilable, stub
from thoughtforge.testing.report import SuiteReport


async def unproved(session: CodeSession, tree: str, ids: Collection[str], report: SuiteReport) -> list[str]:
    """What is wrong with the guards `ids` of a tree whose suite came to `report`; product code is still unchanged."""
    bad = list(_not_holding(ids, report))
    if bad or not ids:
        return bad
    files = tuple(sorted({id.partition("::")[0] for id in ids})) if all("::" in id for id in ids) else ()
    changed, stubbed = await asyncio.gather(_changed(session, tree, files), _stubbed(session, tree, files))
    if changed is not None and changed.broken:
        bad.append(f"the run with changed expectations says nothing: {changed.broken}")
    elif changed is not None:
        bad += [f"{id} passes whatever it expects" for id in judge(changed, sorted(ids))]
    if stubbed.broken and not marked(stubbed):
        bad.append(f"the run on code that does not work says nothing: {stubbed.broken}")
    bad += [f"{id} passes when no function of the product works: it guards nothing" for id in _passing(stubbed, ids)]
    if bad:
        return bad
    answers = await asyncio.gather(*(_idle(session, tree, files, kind=kind) for kind in IDLE))
    loose = set(ids).intersection(*(_passing(report, ids) for report in answers))
    return [f"{id} passes whatever the functions of the product return: it expects nothing" for id in sorted(loose)]


def _passing(report: SuiteReport | None, ids: Collection[str]) -> list[str]:
    """The tests that pass in a run; none in one that was not made."""
    results = report.results if report else {}
    return [id for id in sorted(ids) if id in results and results[id].outcome == "passed"]


def _not_holding(ids: Collection[str], report: SuiteReport) -> Iterator[str]:
    for id in sorted(ids):
        result = report.results.get(id)
        if result is None:
            yield f"{id} cannot be run today; move it to a file that needs nothing new"
        elif result.outcome != "passed":
            yield f"{id} {result.outcome} today, and a regression guard passes before the change: {result.error}"


async def _changed(session: CodeSession, tree: str, files: tuple[str, ...]) -> SuiteReport | None:
    """The same tests with other expected values; None where the language has no such proof."""
    texts = {path: (await session.workspace.read(tree, path)).decode("utf-8", "replace") for path in files}
    changed = {path: one.text for path, one in change_all(texts).items()}
    return await session.test(tree, files=tuple(changed), instead=changed) if changed else None


async def _stubbed(session: CodeSession, tree: str, files: tuple[str, ...]) -> SuiteReport:
    """The same tests on product code whose functions do nothing but fail."""
    async with session.checkout(tree) as root:
        await asyncio.to_thread(stub, root, await _code(session, tree))
        return await session.test_at(root, files=files)


IDLE = (0, 1)
"""The values that functions return in turn: one that is false, one that is true."""


async def _idle(session: CodeSession, tree: str, files: tuple[str, ...], *, kind: int) -> SuiteReport | None:
    """The same tests on functions that do nothing and return a value; None where the language has no such proof."""
    async with session.checkout(tree) as root:
        if not await asyncio.to_thread(idle, root, await _code(session, tree), kind=kind):
            return None
        return await session.test_at(root, files=files)


async def _code(session: CodeSession, tree: str) -> list[str]:
    return [path for path in await session.workspace.paths(tree) if spoilable(path, session.runner)]
