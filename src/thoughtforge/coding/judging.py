"""The every-edit gate on what an agent just wrote: measured, put on record and told to the agent in words."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from thoughtforge.agent.run import Run
from thoughtforge.code.affected import affected
from thoughtforge.code.alike import alike
from thoughtforge.code.criteria import plain
from thoughtforge.code.inspection import shares
from thoughtforge.code.red import JUDGED, first_look
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.gate.findings import Finding, FindingGroup, Outcome, grouped, next_action
from thoughtforge.kernel.events import Measured
from thoughtforge.kernel.model import Stage
from thoughtforge.testing.report import SuiteReport, TestResult, told_all

SHOWN = 12
DETAILS = 6_000
"""Characters of all that is told of failing tests after one edit."""
Failing = tuple[str, str]
"""A test with its place, and its error."""
GIVEN = 3
"""Groups of findings that are told to whoever leaves their files as they are."""


class Found(NamedTuple):
    """What counts, and what is told besides."""

    new: tuple[Finding, ...]
    broken: tuple[Outcome, ...]
    given: tuple[Finding, ...]
    """In files that stay as they are."""


async def judge(run: Run, stage: Stage, context: ToolContext, paths: Sequence[str], *, red: bool) -> str:
    """The every-edit gate on these files, and the nearest tests; put on record and told in words."""
    session = context.the_session()
    verdict, report, fresh = await asyncio.gather(
        session.gate.edit(paths), _nearest(session, paths, red=red), _first_look(run, session, paths, red=red)
    )
    verdict, given = shares(session.judged(verdict), context)
    found = Found(
        tuple(f for f in verdict.new if not red or f.category in JUDGED),
        tuple(o for o in verdict.broken if not red or o.category in JUDGED),
        given,
    )
    if any(f.category == "syntax" for f in found.new):
        report = None  # whatever the tests said, they said it of a file that cannot be read
    failing = _failing(session, report)
    summary = f"{len(found.new)} new findings{_ran(report, failing)}"
    run.record.journal.append(
        Measured(
            stage=stage.name,
            round=run.record.stage(stage.name).round,
            step=run.record.journal.state.used.steps,
            what="edit",
            outcome="broken" if found.broken else "fail" if found.new or failing else "pass",
            summary=summary,
            facts={
                "findings": len(found.new),
                "affected_tests": len(report.results) if report else 0,
                "affected_failing": len(failing),
                "gate_ms": round(verdict.seconds * 1000),
                "next_action": _next(context, found, failing, report),
            },
            tree=await session.workspace.tree(),
            report=run.record.put(
                {"findings": [f._asdict() for f in found.new], "failing": list(map(" ".join, failing))}
            ),
        )
    )
    return "\n".join([f"gate: {summary}", *_lines(found, failing), *([f"- {fresh}"] if fresh else [])])


def _lines(found: Found, failing: Sequence[Failing]) -> list[str]:
    groups = grouped(found.new)
    lines = [_line(group) for group in groups[:SHOWN]]
    if len(groups) > SHOWN:
        lines.append(f"- and {sum(len(group.findings) for group in groups[SHOWN:])} more findings")
    lines += [f"- broken: {o.check}: {o.broken}" for o in found.broken]
    lines += [f"- test {line}" for line in alike(failing)[:SHOWN]]
    left = "in a file that you leave as it is, so it does not count"
    return lines + [f"- {left}: {group.told()}" for group in grouped(found.given)[:GIVEN]]


def _line(group: FindingGroup) -> str:
    first = group.first
    return f"- {first.id} {first.severity} {group.where} {first.category}/{first.check}: {first.message} → {first.hint}"


async def _nearest(session: CodeSession, paths: Sequence[str], *, red: bool) -> SuiteReport | None:
    """The tests nearest to these files, as many as fit into the time; None when there are none to run."""
    if red or not session.tested:
        return None
    tests = await affected(session, paths, seconds=session.rules.tests.affected_seconds)
    return await session.test(await session.workspace.tree(), files=tests) if tests else None


async def _first_look(run: Run, session: CodeSession, paths: Sequence[str], *, red: bool) -> str:
    """In a stage that writes tests: how the new ones stand, before they are handed in."""
    specification = run.record.accepted().get("specification")
    return await first_look(session, paths, specification) if red and specification else ""


def _next(context: ToolContext, found: Found, failing: Sequence[Failing], report: SuiteReport | None) -> str:
    if found.new or found.broken:
        return next_action(found.new, found.broken, may_write=context.may_write, way_out=context.way_out)
    if not failing or report is None:
        return ""
    test = next((id for id in report.results if failing[0][0].startswith(f"{id} ")), "")
    return f"Make {test} pass." if test else f"Let the tests run again: {' '.join(failing[0])}"


def _ran(report: SuiteReport | None, failing: Sequence[Failing]) -> str:
    """How many affected tests ran and fail; a file that cannot be read counts as one."""
    if report is None:
        return ""
    if report.broken:
        return ", the affected tests could not run"
    return f", {len(failing)} of {len(report.results) + len(report.unreadable)} affected tests fail"


def _failing(session: CodeSession, report: SuiteReport | None) -> list[Failing]:
    """Affected tests that do not pass and are not known to fail."""
    if report is None:
        return []
    if report.broken:
        return [("run broken:", report.broken)]
    known = {*session.baseline.failing, *session.baseline.flaky}
    bad = [r for r in report.results.values() if r.outcome == "failed" and r.id not in known]
    firsts = {_kind(r): r for r in reversed(bad)}  # the first of those that fail alike says it for all
    errors = told_all(reversed(firsts.values()), DETAILS)
    lines = [(f"{r.id} {r.path}:{r.line}", errors[firsts[_kind(r)].id]) for r in bad]
    return lines + [
        (f"{u.path}:{u.line}", u.error) for u in report.unreadable if u.path not in session.baseline.unreadable
    ]


def _kind(result: TestResult) -> tuple[str, str]:
    """What failures have in common that are alike: an error; a wrong value only in the cases of one test."""
    return result.error, plain(result.id) if result.cause == "assertion" else ""
