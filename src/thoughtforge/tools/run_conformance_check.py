"""Checks changed files against the repository's rules: style, architecture, patterns, security, quality."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.inspection import PATHS, chosen_paths, shares, told
from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Check changed files, or those named, against the repository's rules; types are run_type_check's."
PARAMS: dict[str, Any] = {"type": "object", "properties": {"paths": PATHS}, "additionalProperties": False}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    paths = await chosen_paths(context, params.get("paths", ()))
    if not paths:
        said = "conformance: no file was changed"
        return ToolResult(True, said, said)
    share = shares(await context.the_session().gate.stage_end(paths), context)
    return told(
        share,
        paths,
        what="conformance",
        categories=("style", "architecture", "pattern", "security", "quality", "honesty"),
    )
