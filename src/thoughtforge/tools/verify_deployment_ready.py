"""Measures whether what was built can be delivered: the whole suite on a fresh checkout, and the gate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thoughtforge.code.inspection import chosen_paths, line, shares
from thoughtforge.code.red import lost
from thoughtforge.code.session import CodeSession
from thoughtforge.code.tool_context import ToolContext, ToolResult, counted
from thoughtforge.gate.findings import grouped
from thoughtforge.testing.report import SuiteReport

DESCRIPTION = "Run the whole suite on a fresh checkout and every check on what was changed; list what is not ready."
PARAMS: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
WRITES = False
SHOWN = 20


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    session = context.the_session()
    report = await session.test(await session.workspace.tree())
    problems = [*lost(session, report), *_failing(session, report)]
    verdict, _ = shares(await session.gate.edit(await chosen_paths(context, ())), context)
    problems += [line(group).removeprefix("- ") for group in grouped(verdict.new)]
    problems += [f"{outcome.check} is broken: {outcome.broken}" for outcome in verdict.broken]
    problems += [f"{path} was changed without the tools" for path in await session.workspace.matches()]
    counts = f"{counted(len(report.results), 'test')}, {counted(len(verdict.outcomes), 'check')}"
    if not problems:
        said = f"ready: {counts}, nothing blocks delivery"
        return ToolResult(True, said, said)
    summary = f"not ready: {counted(len(problems), 'problem')} ({counts})"
    more = [f"and {len(problems) - SHOWN} more"] if len(problems) > SHOWN else []
    return ToolResult(True, summary, "\n".join([summary, *(f"- {problem}" for problem in problems[:SHOWN]), *more]))


def _failing(session: CodeSession, report: SuiteReport) -> Iterator[str]:
    """New tests that fail and files that cannot be read; what is lost of the old ones is told by itself."""
    if report.broken:
        return
    known = session.baseline
    for result in report.results.values():
        if result.outcome == "failed" and result.id not in known.outcomes:
            yield f"{result.id} fails: {result.error}"
    yield from (f"{u.path}:{u.line}: {u.error}" for u in report.unreadable if u.path not in known.unreadable)
