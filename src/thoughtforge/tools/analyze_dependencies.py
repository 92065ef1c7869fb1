"""Shows who imports whom in the project and what it declares to need from outside."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from thoughtforge.code.tool_context import ToolContext, ToolResult

if TYPE_CHECKING:
    from thoughtforge.testing.imports import SuiteImports

DESCRIPTION = (
    "Show imports between the project's Python modules, cycles, declared packages; or one module's neighbours."
)
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {"module": {"type": "string", "minLength": 1, "description": "dotted name or path of a Python file"}},
    "additionalProperties": False,
}
WRITES = False
MOST = 300


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    from thoughtforge.testing.imports import dependency_graph  # a design that does not ask loads no language

    graph = await dependency_graph(context.tree)
    if "module" in params:
        return _one(params["module"], graph)
    edges = sum(len(targets) for targets in graph.internal.values())
    summary = (
        f"{len(graph.internal)} modules, {edges} imports between them, {len(graph.cycles)} cycles, "
        f"{len(graph.external)} declared packages"
    )
    lines = [summary]
    lines += _section(
        "Imports", [f"{name} → {', '.join(targets)}" for name, targets in graph.internal.items() if targets]
    )
    lines += _section("Circles", [" ⇄ ".join(circle) for circle in graph.cycles])
    lines += _section("Declared packages", [f"{each.name} {each.versions} ({each.source})" for each in graph.external])
    lines += _section("Left out", list(graph.skipped))
    return ToolResult(True, summary, "\n".join(lines))


def _one(asked: str, graph: SuiteImports) -> ToolResult:
    by_file = {path: module for module, path in graph.files.items()}
    module = by_file.get(asked, asked)
    if module not in graph.files:
        near = difflib.get_close_matches(asked, graph.files, n=3)
        said = f"there is no module {asked}" + (f"; near it: {', '.join(near)}" if near else "")
        return ToolResult(False, said, said)
    if module not in graph.internal:
        said = next(problem for problem in graph.skipped if problem.startswith(f"{graph.files[module]}:"))
        return ToolResult(False, said, said)
    users = sorted(name for name, targets in graph.internal.items() if module in targets)
    reached = _reached(module, graph)
    summary = f"{module} imports {len(graph.internal[module])} modules and is imported by {len(users)}"
    lines = [f"{module} ({graph.files[module]})"]
    lines += _section("Imports", list(graph.internal[module]))
    lines += _section("Imported by", users)
    lines += _section("A change can reach", reached)
    lines += _section("Circles", [" ⇄ ".join(circle) for circle in graph.cycles if module in circle])
    return ToolResult(True, summary, "\n".join(lines))


def _reached(module: str, graph: SuiteImports) -> list[str]:
    """Everything that imports a module, directly or through others."""
    reached: set[str] = set()
    waiting = {module}
    while waiting:
        waiting = {name for name, targets in graph.internal.items() if waiting.intersection(targets)} - reached
        reached |= waiting
    return sorted(reached - {module})


def _section(title: str, rows: list[str]) -> list[str]:
    more = [f"  and {len(rows) - MOST} more"] if len(rows) > MOST else []
    return [f"{title}:", *(f"  {row}" for row in rows[:MOST] or ["none"]), *more]
