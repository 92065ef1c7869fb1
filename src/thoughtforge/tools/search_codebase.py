"""Searches the repository's text files for a text or a regular expression."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = "Find lines that contain a text (or match an extended regex, regex: true), optionally only in some paths."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "minLength": 1, "maxLength": 1000},
        "regex": {"type": "boolean"},
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 300},
            "maxItems": 20,
            "description": "patterns such as src/**/*.py",
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}
WRITES = False
MOST = 200
MORE = "there are more; search for something narrower or name paths"


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    text = params["text"]
    globs = tuple(params.get("paths", ()))
    found = await context.tree.search(text, regex=params.get("regex", False), globs=globs, limit=MOST)
    if found.error:
        return ToolResult(False, found.error, found.error)
    where = f" in {', '.join(globs)}" if globs else ""
    if not found.hits:
        said = f"no line with {text!r}{where}"
        return ToolResult(True, said, said)
    files = len({hit.path for hit in found.hits})
    count = f"{'the first ' if found.more else ''}{len(found.hits)}"
    summary = f"{count} lines in {files} files with {text!r}{where}"
    lines = [f"{summary}:"]
    for path, hits in groupby(found.hits, key=lambda hit: hit.path):
        lines.append(path)
        lines += [f"{hit.line:>6}  {hit.text}" for hit in hits]
    kept = context.fitting([MORE, *lines]) - 1
    if found.more or kept < len(lines):
        lines = [*lines[: max(1, kept)], MORE]
    return ToolResult(True, summary, "\n".join(lines))
