"""Lists the files of the repository, by folder."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.workspaces.git import TreeEntry
from thoughtforge.workspaces.patterns import any_matches

DESCRIPTION = "List files of the repository by folder; pattern narrows them (src/**/*.py; a folder means all below it)."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "pattern": {"type": "string", "minLength": 1, "maxLength": 300, "description": "* within a folder, ** across"},
    },
    "additionalProperties": False,
}
WRITES = False
MOST = 400
MORE = "more; narrow the pattern to see them"


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    pattern = params.get("pattern", "**")
    found = [entry for entry in context.tree.paths() if any_matches(entry.path, (pattern,))]
    if not found:
        said = f"no file matches {pattern}; the repository has {len(context.tree.paths())} files"
        return ToolResult(False, said, said)
    summary = f"{len(found)} files" if "pattern" not in params else f"{len(found)} files match {pattern}"
    lines = [summary + ":"]
    for folder, entries in groupby(sorted(found, key=_place)[:MOST], key=lambda entry: _place(entry)[0]):
        lines.append(f"{folder or '.'}/")
        lines += [f"  {_place(entry)[1]}  {_what(entry)}" for entry in entries]
    lines = lines[: max(1, context.fitting([f"and {len(found)} {MORE}", *lines]) - 1)]
    if left := len(found) - sum(line.startswith("  ") for line in lines):
        lines.append(f"and {left} {MORE}")
    return ToolResult(True, summary, "\n".join(lines))


def _place(entry: TreeEntry) -> tuple[str, str]:
    folder, _, name = entry.path.rpartition("/")
    return folder, name


def _what(entry: TreeEntry) -> str:
    return f"{entry.size:,} bytes" if entry.kind == "file" else entry.kind
