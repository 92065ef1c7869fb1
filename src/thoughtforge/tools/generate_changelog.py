"""Shows how the changelog will read; the engine writes it at delivery."""

from __future__ import annotations

from typing import Any, get_args

from thoughtforge.code.changelog import CHANGELOG, ChangelogEntry, Kind
from thoughtforge.code.changelog_forms import SETTINGS, ChangelogPlace, find, written
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
    session = context.the_session()
    known = context.tree.entries
    settings = (await read_content(context, SETTINGS)).text if SETTINGS in known else ""
    place = find(known, settings)
    if place is None and not session.rules.change.changelog:
        said = "the repository keeps no changelog; the entries will be in the report"
        return ToolResult(True, said, said)
    place = place or ChangelogPlace(CHANGELOG)
    text = (await read_content(context, place.path)).text if place.path in known else None
    entries = [ChangelogEntry(each["kind"], each["text"]) for each in params["entries"]]
    made = written(place, text, entries, slug="change")
    lines = [line for path, new in made.items() for line in (*([f"{path}:"] if place.kinds else []), *new.splitlines())]
    gets = "gets" if text is not None or place.kinds else "will be created with"
    summary = f"{place.path} {gets} {counted(len(entries), 'line')} at delivery"
    more = [f"… and {len(lines) - SHOWN} lines below"] if len(lines) > SHOWN else []
    return ToolResult(True, summary, "\n".join([f"{summary}; it will begin:", *lines[:SHOWN], *more]))
