"""Writes a new file of the repository."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.contents import check_size, counted, difference, encode, free_path, line_count, read_bytes
from thoughtforge.workshop.desk import Desk, Edit, Result

DESCRIPTION = "Create a text file; one that this stage itself created is replaced."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        "content": {"type": "string", "description": "the whole text"},
    },
    "required": ["path", "content"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], desk: Desk) -> Result:
    path = params["path"]
    data = encode(params["content"], path)
    check_size(data, path, desk=desk)
    before = None
    if path in desk.tree.composed and desk.own(path):
        before = await read_bytes(desk, path)
    else:
        free_path(desk, path)
    if before == data:
        said = f"{path} has this content already"
        return Result(False, said, said)
    verdict = await desk.write([Edit(path, data)])
    size = difference((before or b"").decode("utf-8", "replace"), params["content"])
    summary = (
        f"created {path} ({counted(line_count(params['content']), 'line')})"
        if before is None
        else f"replaced {path} ({size})"
    )
    return Result(True, summary, f"{summary}\n{verdict}")
