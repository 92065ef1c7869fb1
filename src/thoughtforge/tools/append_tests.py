"""Adds tests at the end of an existing test file."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.appending import ALONE, addition_problems
from thoughtforge.code.tool_context import (
    Edit,
    ToolContext,
    ToolResult,
    check_size,
    counted,
    line_count,
    read_content,
)
from thoughtforge.kernel.errors import UserError

DESCRIPTION = "Add tests at the end of an existing test file; a second call replaces what this stage added before."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        "content": {"type": "string", "minLength": 1, "description": "the text to add"},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path = params["path"]
    content = await read_content(context, path)
    if context.own(content.path):
        raise UserError(f"{path} is a file of this stage", do="Write it again with create_file.")
    before = content.decoded(await context.before(content.path))
    joined = before if before.endswith("\n") or not before else f"{before}\n"
    text = f"{joined}\n\n{params['content'].strip(chr(10))}\n"
    if problems := await addition_problems(context.the_session(), path, before, text):
        raise UserError(f"{path} cannot be added to like this: {problems[0]}", do=ALONE, details=tuple(problems[1:]))
    data = content.encoded(text)
    check_size(data, path, context=context)
    verdict = await context.write([Edit(content.path, data)])
    summary = f"added {counted(line_count(text) - line_count(before), 'line')} to {path}"
    return ToolResult(True, summary, f"{summary}\n{verdict}")
