"""Writes a new file of the repository."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import (
    Edit,
    ToolContext,
    ToolResult,
    check_size,
    counted,
    difference,
    encode,
    free_path,
    line_count,
    read_bytes,
)

DESCRIPTION = "Create a text file, or replace one that this stage created."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        "content": {"type": "string", "description": "the whole text"},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path = params["path"]
    data = encode(params["content"], path)
    check_size(data, path, context=context)
    before = None
    if path in context.tree.composed and context.own(path):
        context.must_not_lose(path)
        before = await read_bytes(context, path)
    else:
        free_path(context, path)
    if before == data:
        said = f"{path} already has this content"
        return ToolResult(False, said, said)
    verdict = await context.write([Edit(path, data)])
    context.saw(path, whole=True)
    size = difference((before or b"").decode("utf-8", "replace"), params["content"])
    summary = (
        f"created {path} ({counted(line_count(params['content']), 'line')})"
        if before is None
        else f"replaced {path} ({size})"
    )
    return ToolResult(True, summary, f"{summary}\n{verdict}")
