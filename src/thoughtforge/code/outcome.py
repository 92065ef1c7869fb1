"""A run of tests in words: totals, what fails and where, what could not be read. A broken run says nothing."""

from __future__ import annotations

from thoughtforge.code.tool_context import ToolResult, counted
from thoughtforge.testing.report import SuiteReport, TestResult, told_all

SHOWN = 10
DETAILS = 12_000
"""Characters of all the differences together."""


def told(report: SuiteReport) -> ToolResult:
    """For an agent that ran tests."""
    if report.broken:
        said = f"the run is broken and says nothing about any test: {report.broken}"
        return ToolResult(False, said, said)
    counts = {kind: sum(r.outcome == kind for r in report.results.values()) for kind in ("passed", "failed", "skipped")}
    parts = [f"{count} {kind}" for kind, count in counts.items() if count or kind != "skipped"]
    if report.unreadable:
        parts.append(f"{counted(len(report.unreadable), 'file')} unreadable")
    missing = [id for id in report.collected if id not in report.results]
    if missing:
        parts.append(f"{len(missing)} without an answer")
    summary = f"{', '.join(parts)} ({report.seconds:.1f} s)"
    failed = [result for result in report.results.values() if result.outcome == "failed"]
    errors = told_all(failed[:SHOWN], DETAILS)
    lines = [summary, *(_line(result, errors[result.id]) for result in failed[:SHOWN])]
    if len(failed) > SHOWN:
        lines.append(f"and {len(failed) - SHOWN} more fail")
    lines += [f"- cannot be read: {item.path}:{item.line}: {item.error}" for item in report.unreadable[:SHOWN]]
    lines += [f"- no answer: {id}" for id in missing[:SHOWN]]
    return ToolResult(True, summary, "\n".join(lines))


def _line(result: TestResult, error: str) -> str:
    place = f" at {result.path}:{result.line}" if result.path else ""
    return f"- {result.id}{place}: {error}"
