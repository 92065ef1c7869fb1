"""Takes a file of the repository away."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.contents import plain_file
from thoughtforge.workshop.desk import Desk, Edit, Result

DESCRIPTION = "Delete one file of the repository."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {"path": {"type": "string", "minLength": 1}},
    "required": ["path"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], desk: Desk) -> Result:
    path = params["path"]
    entry = await plain_file(desk, path)
    verdict = await desk.write([Edit(entry.path, None)])
    summary = f"deleted {path} ({entry.size:,} bytes)"
    return Result(True, summary, f"{summary}\n{verdict}")
