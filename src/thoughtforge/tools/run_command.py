"""Runs a command that a person allowed, in a box, on a throw-away copy of the files."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.command import run, shown
from thoughtforge.workshop.desk import Desk, Result

DESCRIPTION = "Run an allowed command (program and arguments, no shell, no network) on a throw-away copy of the files."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "argv": {
            "type": "array",
            "items": {"type": "string", "maxLength": 4000},
            "minItems": 1,
            "maxItems": 100,
            "description": "the program, then each argument by itself",
        },
    },
    "required": ["argv"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], desk: Desk) -> Result:
    argv = params["argv"]
    ended = await run(desk.the_workshop(), argv)
    how = f"was ended by the limit {ended.stopped}" if ended.stopped else f"ended with {ended.code}"
    summary = f"{' '.join(argv)[:200]} {how}"
    parts = [summary + "; what it wrote was thrown away"]
    for name, raw in (("stdout", ended.stdout), ("stderr", ended.stderr)):
        if text := shown(raw):
            parts.append(f"{name}:\n{text}")
    if ended.cut:
        parts.append("(there was more output than is kept)")
    return Result(ended.code == 0 and not ended.stopped, summary, "\n".join(parts))
