"""Submits the artifact of the stage; the gate measures whether it is good."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Finish the stage: submit its artifact, an object in the shape of the stage's contract."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {"artifact": {"type": "object", "minProperties": 1}},
    "required": ["artifact"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    fields = ", ".join(params["artifact"])
    summary = f"submitted an artifact with {len(params['artifact'])} fields"
    return ToolResult(True, summary, f"{summary}: {fields}", {"artifact": params["artifact"]})
