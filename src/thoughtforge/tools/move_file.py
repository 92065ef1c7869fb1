"""Gives a file of the repository another path."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult, check_size, free_path, read_bytes

DESCRIPTION = "Move or rename a file of the repository; its content stays as it is."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1},
        "to": {"type": "string", "minLength": 1, "description": "its new path, from the root"},
    },
    "required": ["path", "to"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path, to = params["path"], params["to"]
    data = await read_bytes(context, path)
    free_path(context, to, leaving=path)
    check_size(data, to, context=context)
    old = context.tree.composed[path]
    executable = context.tree.entries[old].mode == "100755"
    verdict = await context.write([Edit(old, None), Edit(to, data, executable)])
    context.saw(to, whole=False)
    summary = f"moved {path} to {to}"
    return ToolResult(True, summary, f"{summary}\n{verdict}")
