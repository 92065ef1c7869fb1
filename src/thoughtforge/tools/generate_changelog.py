"""Shows how the changelog will read; the engine writes it at delivery."""

from __future__ import annotations

from typing import Any, get_args

from thoughtforge.code.changelog import ChangelogEntry
from thoughtforge.code.changelog_places import entries_told, read_objects
from thoughtforge.code.changelog_words import Kind
from thoughtforge.code.tool_context import ToolContext, ToolResult, counted

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
    entries = [ChangelogEntry(each["kind"], each["text"]) for each in params["entries"]]
    kinds = {path: entry.kind for path, entry in known.items()}
    begin = session.rules.change.changelog
    made = await entries_told(kinds, read_objects(context.tree.git, known), entries, slug="change", begin=begin)
    if not made.files:
        why = f"left alone: {made.note}" if made.note else "the repository keeps no changelog"
        said = f"{why}; the entries will be in the report"
        return ToolResult(True, said, said)
    many = len(made.files) > 1 or not any(path in known for path in made.files) and not made.begun
    lines = [line for path, new in made.files.items() for line in (*([f"{path}:"] if many else []), *new.splitlines())]
    where = next(iter(made.files)).rpartition("/")[0] if many else next(iter(made.files))
    gets = "will be created with" if made.begun else "gets"
    summary = f"{where} {gets} {counted(len(entries), 'line')} at delivery"
    more = [f"… and {len(lines) - SHOWN} lines below"] if len(lines) > SHOWN else []
    return ToolResult(True, summary, "\n".join([f"{summary}; it will begin:", *lines[:SHOWN], *more]))
