"""Looks for type errors in changed files and in what depends on them."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.inspection import PATHS, chosen_paths, shares, told
from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Look for type errors in changed files, or those named, and in files that depend on them."
PARAMS: dict[str, Any] = {"type": "object", "properties": {"paths": PATHS}, "additionalProperties": False}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    paths = await chosen_paths(context, params.get("paths", ()))
    if not paths:
        said = "types: no file was changed"
        return ToolResult(True, said, said)
    share = shares(await context.the_session().gate.edit(paths), context)
    return told(share, paths, what="types", categories=("types",))
