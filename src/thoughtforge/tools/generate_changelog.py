"""Shows how the changelog will read; the engine writes it at delivery."""

from __future__ import annotations

from typing import Any, get_args

from thoughtforge.code.changelog import ChangelogEntry, Kind, find, with_entries
from thoughtforge.code.tool_context import ToolContext, ToolResult, counted, read_content

DESCRIPTION = "Preview the changelog with these entries; the engine writes it at delivery, not now."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "entries": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"enum": list(get_args(Kind))},
                    "text": {"type": "string", "minLength": 1, "maxLength": 300, "pattern": r"\S"},
                },
                "required": ["kind", "text"],
                "additionalProperties": False,
            },
            "minItems": 1,
            "maxItems": 50,
            "description": "each a kind (added, changed, removed, fixed, security) and one sentence as text",
        },
    },
    "required": ["entries"],
    "additionalProperties": False,
}
WRITES = False
SHOWN = 60


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    context.the_session()
    path = find(context.tree.entries)
    known = path in context.tree.entries
    text = (await read_content(context, path)).text if known else None
    entries = [ChangelogEntry(each["kind"], each["text"]) for each in params["entries"]]
    lines = with_entries(text, entries).splitlines()
    summary = f"{path} {'gets' if known else 'will be created with'} {counted(len(entries), 'line')} at delivery"
    more = [f"… and {len(lines) - SHOWN} lines below"] if len(lines) > SHOWN else []
    return ToolResult(True, summary, "\n".join([f"{summary}; it will begin:", *lines[:SHOWN], *more]))
