"""Holds changed files against the repository's rules: style, architecture, patterns, security, quality."""

from __future__ import annotations

from typing import Any

from thoughtforge.workshop.desk import Desk, Result
from thoughtforge.workshop.inspection import PATHS, chosen_paths, told

DESCRIPTION = "Check changed files, or those named, against the repository's rules; types are run_type_check's."
PARAMS: dict[str, Any] = {"type": "object", "properties": {"paths": PATHS}, "additionalProperties": False}
WRITES = False


async def use(params: dict[str, Any], desk: Desk) -> Result:
    paths = await chosen_paths(desk, params.get("paths", ()))
    if not paths:
        said = "conformance: no file was changed"
        return Result(True, said, said)
    verdict = await desk.the_workshop().gate.stage_end(paths)
    return told(
        verdict,
        paths,
        what="conformance",
        categories=("style", "architecture", "pattern", "security", "quality", "honesty"),
    )
