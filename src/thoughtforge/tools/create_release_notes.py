"""Writes release notes among the documents of the repository."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from thoughtforge.kernel.errors import Mistake
from thoughtforge.workshop.contents import check_size, counted, encode, free_path, line_count
from thoughtforge.workshop.desk import Desk, Edit, Result

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


async def use(params: dict[str, Any], desk: Desk) -> Result:
    path, text = params["path"], params["text"].rstrip() + "\n"
    if not PurePosixPath(path).is_relative_to("docs") or not path.endswith(".md"):
        raise Mistake(f"release notes do not belong in {path}", do="Name a .md file below docs/.")
    data = encode(text, path)
    check_size(data, path, desk=desk)
    if not (path in desk.tree.composed and desk.own(path)):
        free_path(desk, path)
    verdict = await desk.write([Edit(path, data)])
    summary = f"wrote release notes to {path} ({counted(line_count(text), 'line')})"
    return Result(True, summary, f"{summary}\n{verdict}")
