"""Reads one file of the repository, whole or by lines."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.tool_context import ToolContext, ToolResult

DESCRIPTION = (
    "Read a file, whole or from start_line to end_line; what your next step has no room for is cut at its end."
)
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        "start_line": {"type": "integer", "minimum": 1},
        "end_line": {"type": "integer", "minimum": 1},
    },
    "required": ["path"],
    "additionalProperties": False,
}
WRITES = False


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path, first, last = params["path"], params.get("start_line", 1), params.get("end_line")
    file = await context.tree.read(path)
    note = f"{path} is {file.note}." if file.note else ""
    if not file.text:
        said = note or f"{path} is empty."
        return ToolResult(True, said, said)
    if (last is not None and last < first) or first > file.lines:
        said = f"{path} has lines 1 to {file.lines}; asked for {first} to {last or 'the end'}"
        return ToolResult(False, said, said)
    rows = [(number, row) for number, row in file.numbered() if _wanted(number, first, last)]
    shown = [number for number, _ in rows if number is not None]
    if not shown:
        said = f"{note} Lines {first} to {last} are in the omitted part."
        return ToolResult(False, said, said)
    lines = [f"{'' if number is None else number:>6}  {row}" for number, row in rows]
    kept = _fitting(lines, [note, f"{path}, lines {shown[0]} to {shown[-1]} of {file.lines}:"], context)
    shown = [number for number, _ in rows[:kept] if number is not None]
    head = f"{path}, lines {shown[0]} to {shown[-1]} of {file.lines}"
    context.saw(path, whole=[*range(1, file.lines + 1)] == shown)
    end = [f"[cut here: continue at line {shown[-1] + 1}]"] if kept < len(lines) else []
    return ToolResult(True, f"read {head}", "\n".join([*([note] if note else []), f"{head}:", *lines[:kept], *end]))


def _fitting(lines: list[str], above: list[str], context: ToolContext) -> int:
    """How many of the lines fit below what is said above them; one at least."""
    said = [*above, "[cut here: continue at line 000000]"]
    return max(1, context.fitting([*said, *lines]) - len(said))


def _wanted(number: int | None, first: int, last: int | None) -> bool:
    """A line asked for; the mark of a gap is only of use where the whole file is shown."""
    if number is None:
        return first == 1 and last is None
    return first <= number and (last is None or number <= last)
