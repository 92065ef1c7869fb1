"""Measures how complex the functions of changed files are."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.complexity import measure
from thoughtforge.code.inspection import chosen_paths
from thoughtforge.code.tool_context import ToolContext, ToolResult, counted
from thoughtforge.gate.context import Broken

DESCRIPTION = "Show the cyclomatic complexity of each function in changed Python files, or those named, highest first."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1, "maxLength": 300},
            "minItems": 1,
            "maxItems": 50,
            "description": "files; all changed product files when left out",
        },
    },
    "additionalProperties": False,
}
WRITES = False
MOST = 40


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    session = context.the_session()
    given = params.get("paths", ())
    chosen = [path for path in await chosen_paths(context, given) if path in context.tree.entries]
    paths = [path for path in chosen if given or not session.is_test(path)]
    tree = await session.workspace.tree()
    raw = {path: await session.workspace.read(tree, path) for path in paths}
    texts = {path: data.decode("utf-8", "replace") for path, data in raw.items()}
    try:
        found = await measure(texts, search_path=session.gate.config.search_path)
    except Broken as broken:
        return ToolResult(False, f"complexity could not be measured: {broken.what}", f"{broken.what}. {broken.do}")
    functions = found.functions
    top = f"; the highest is {functions[0].value} ({functions[0].name})" if functions else ""
    summary = f"{counted(len(functions), 'function')} measured in {counted(len(paths), 'file')}{top}"
    lines = [f"{each.value:>4}  {each.path}:{each.line} {each.name}" for each in functions[:MOST]]
    if len(functions) > MOST:
        lines.append(f"and {len(functions) - MOST} simpler ones")
    lines += [f"not measured: {why}" for why in found.unmeasured]
    return ToolResult(True, summary, "\n".join([summary, *lines]))
