"""Hands in the artifact of the stage; whether it is good is for the gate to measure."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.desk import Desk, Result

DESCRIPTION = "Finish the stage by handing in its artifact, as an object in the shape of the stage's contract."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {"artifact": {"type": "object", "minProperties": 1}},
    "required": ["artifact"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], desk: Desk) -> Result:
    fields = ", ".join(params["artifact"])
    summary = f"handed in an artifact with {len(params['artifact'])} fields"
    return Result(True, summary, f"{summary}: {fields}", {"artifact": params["artifact"]})
