"""One look of the gate at some files, told to an agent: what is new, what was there before, what is broken."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from thoughtforge.code.tool_context import ToolContext, ToolResult, counted
from thoughtforge.gate.findings import Finding, FindingGroup, GateVerdict, grouped
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


class Shares(NamedTuple):
    """A verdict for one role."""

    verdict: GateVerdict
    """What it has to put right."""
    given: tuple[Finding, ...]
    """New findings in files that stay as they are; they do not count. What a file had before is not told again."""


def shares(verdict: GateVerdict, context: ToolContext) -> Shares:
    """What of a verdict is the role's."""
    before = {_same(one) for one in verdict.existing}
    given = tuple(one for one in verdict.new if context.given(one))
    mine = tuple(one for one in verdict.new if one not in given)
    return Shares(verdict._replace(new=mine), tuple(one for one in given if _same(one) not in before))


def _same(finding: Finding) -> tuple[str, str, str]:
    """What a finding says, wherever in its file it stands."""
    return finding.path, finding.check, finding.message


def told(share: Shares, paths: Sequence[str], *, what: str, categories: Collection[str]) -> ToolResult:
    """The verdict on some categories, in words. Syntax always counts: without it nothing else was looked at."""
    verdict, wanted = share.verdict, {*categories, SYNTAX}
    given = [finding for finding in share.given if finding.category in wanted]
    new = [finding for finding in verdict.new if finding.category in wanted]
    existing = [finding for finding in verdict.existing if finding.category in wanted]
    broken = [outcome for outcome in verdict.broken if outcome.category in wanted]
    files = len({finding.path for finding in new}) or len(paths)
    summary = f"{what}: {counted(len(new), 'new finding')} in {counted(files, 'file')}, {len(existing)} there before"
    if broken:
        summary += f"; broken: {', '.join(outcome.check for outcome in broken)}"
    if given:
        summary += f"; {len(given)} in files you leave as they are do not count"
    groups = grouped(new)
    lines = [summary, *map(line, groups[:SHOWN])]
    if len(groups) > SHOWN:
        lines.append(f"and {sum(len(group.findings) for group in groups[SHOWN:])} more; correct these first")
    if any(finding.category == SYNTAX for finding in new):
        lines.append("nothing else was looked at: put the syntax right first")
    lines += [f"broken, so it says nothing: {outcome.check}: {outcome.broken}" for outcome in broken]
    return ToolResult(not broken, summary, "\n".join(lines))


def line(group: FindingGroup) -> str:
    """Equal findings in one line."""
    first = group.first
    hint = f" → {first.hint}" if first.hint else ""
    return f"- {first.id} {first.severity} {group.where} {first.check}: {first.message}{hint}"
