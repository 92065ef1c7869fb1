"""Writes release notes among the documents of the repository."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from thoughtforge.code.tool_context import (
    Edit,
    ToolContext,
    ToolResult,
    check_size,
    counted,
    encode,
    free_path,
    line_count,
)
from thoughtforge.kernel.errors import UserError

DESCRIPTION = "Write release notes for the users of the project as a Markdown file below docs/."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "such as docs/releases/json-reports.md"},
        "text": {"type": "string", "minLength": 1, "pattern": r"\S"},
    },
    "required": ["path", "text"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path, text = params["path"], params["text"].rstrip() + "\n"
    if not PurePosixPath(path).is_relative_to("docs") or not path.endswith(".md"):
        raise UserError(f"release notes do not belong in {path}", do="Name a .md file below docs/.")
    data = encode(text, path)
    check_size(data, path, context=context)
    if not (path in context.tree.composed and context.own(path)):
        free_path(context, path)
    verdict = await context.write([Edit(path, data)])
    summary = f"wrote release notes to {path} ({counted(line_count(text), 'line')})"
    return ToolResult(True, summary, f"{summary}\n{verdict}")
