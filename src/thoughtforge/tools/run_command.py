"""Runs a command that a person allowed, in a sandbox, on a throw-away copy of the files."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.commands import run, shown
from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Run an allowed command (program and arguments, no shell, no network) on a throw-away copy of the files."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "argv": {
            "type": "array",
            "items": {"type": "string", "maxLength": 4000},
            "minItems": 1,
            "maxItems": 100,
            "description": "the program, then each argument separately",
        },
    },
    "required": ["argv"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    argv = params["argv"]
    ended = await run(context.the_session(), argv)
    how = f"was ended by the limit {ended.stopped}" if ended.stopped else f"ended with {ended.code}"
    summary = f"{' '.join(argv)[:200]} {how}"
    parts = [summary + "; the files it wrote were discarded"]
    for name, raw in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if text := shown(raw):
            parts.append(f"{name}:\n{text}")
    if ended.cut:
        parts.append("(the rest of the output was cut)")
    return ToolResult(ended.code == 0 and not ended.stopped, summary, "\n".join(parts))
