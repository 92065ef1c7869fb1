"""One look of the gate at some files, told to an agent: what is new, what was there before, what is broken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult, counted
from thoughtforge.gate.findings import Finding, GateVerdict
from thoughtforge.kernel.errors import UserError

SHOWN = 20
SYNTAX = "syntax"
PATHS: dict[str, Any] = {
    "type": "array",
    "items": {"type": "string", "minLength": 1, "maxLength": 300},
    "minItems": 1,
    "maxItems": 50,
    "description": "files; all changed ones when left out",
}
"""How a tool lets an agent name the files it means."""


async def chosen_paths(context: ToolContext, given: Sequence[str]) -> tuple[str, ...]:
    """The files that were named, or those changed since the base commit, also those that are gone.

    A name that is not there, or that nobody may know of, is refused.
    """
    workspace = context.the_session().workspace
    known = context.tree.composed
    if given:
        strange = [path for path in given if path not in known]
        if strange:
            raise UserError(
                f"there is no file {', '.join(strange)}",
                do="Name files by their path from the root; leave paths out for everything that was changed.",
            )
        return tuple(known[path] for path in given)
    changes = await workspace.changes(workspace.base, await workspace.tree())
    both = {path for change in changes for path in (change.path, change.old_path) if path}
    return tuple(path for path in sorted(both) if context.tree.ignore.reason(path) is None)


def told(verdict: GateVerdict, paths: Sequence[str], *, what: str, categories: Collection[str]) -> ToolResult:
    """The verdict on some categories, in words. Syntax always counts: without it nothing else was looked at."""
    wanted = {*categories, SYNTAX}
    new = [finding for finding in verdict.new if finding.category in wanted]
    existing = [finding for finding in verdict.existing if finding.category in wanted]
    broken = [outcome for outcome in verdict.broken if outcome.category in wanted]
    summary = (
        f"{what}: {counted(len(new), 'new finding')} in {counted(len(paths), 'file')}, {len(existing)} there before"
    )
    if broken:
        summary += f"; broken: {', '.join(outcome.check for outcome in broken)}"
    lines = [summary, *(line(finding) for finding in new[:SHOWN])]
    if len(new) > SHOWN:
        lines.append(f"and {len(new) - SHOWN} more; correct these first")
    if any(finding.category == SYNTAX for finding in new):
        lines.append("nothing else was looked at: put the syntax right first")
    lines += [f"broken, so it says nothing: {outcome.check}: {outcome.broken}" for outcome in broken]
    return ToolResult(not broken, summary, "\n".join(lines))


def line(finding: Finding) -> str:
    """One finding in one line."""
    place = f"{finding.path}:{finding.line}" if finding.path else "the repository"
    hint = f" → {finding.hint}" if finding.hint else ""
    return f"- {finding.id} {finding.severity} {place} {finding.check}: {finding.message}{hint}"
