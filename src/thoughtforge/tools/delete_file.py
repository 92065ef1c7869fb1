"""Deletes a file of the repository."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult, plain_file

DESCRIPTION = "Delete one file of the repository."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string", "minLength": 1}},
    "required": ["path"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path = params["path"]
    entry = await plain_file(context, path)
    context.must_not_lose(path)
    verdict = await context.write([Edit(entry.path, None)])
    summary = f"deleted {path} ({entry.size:,} bytes)"
    return ToolResult(True, summary, f"{summary}\n{verdict}")
