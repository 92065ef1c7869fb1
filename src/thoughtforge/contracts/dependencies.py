"""What a specification depends on: two ways to write it, one shape, and the cycles in it."""

from __future__ import annotations

from typing import Any

from thoughtforge.contracts.shorthand import objects, text, texts
from thoughtforge.kernel.model import JsonObject


def normalise_dependencies(dependencies: object) -> JsonObject:
    """One shape for both forms: `external` with repo, artifact, version and `tasks` with id, stage, reason, depends_on.

    A plain list names things from outside. What has the wrong shape is left out: the schema reports it.
    """
    if isinstance(dependencies, list):
        dependencies = {"external": dependencies}
    named = [_external({"artifact": found.value}) for found in texts(dependencies, "external[]")]
    described = [_external(found.value) for found in objects(dependencies, "external[]")]
    return {
        "external": [*named, *described],
        "tasks": [_task(found.value) for found in objects(dependencies, "tasks[]")],
    }


def _external(entry: JsonObject) -> JsonObject:
    return {key: text(entry, key) for key in ("repo", "artifact", "version")}


def _task(entry: JsonObject) -> JsonObject:
    return {
        "id": text(entry, "task_id") or text(entry, "id"),
        "required_stage": text(entry, "required_stage"),
        "reason": text(entry, "reason"),
        "depends_on": [found.value for found in texts(entry, "depends_on[]")],
    }


def circles(graph: dict[str, list[str]]) -> tuple[tuple[str, ...], ...]:
    """Every group of names that need each other, or a name that needs itself; each group in sorted order."""
    reach = {name: _reachable(graph, name) for name in graph}
    groups = {
        tuple(sorted(other for other in graph if other in reach[name] and name in reach[other]))
        for name in graph
        if name in reach[name]
    }
    return tuple(sorted(groups))


def _reachable(graph: dict[str, list[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting: list[Any] = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph.get(name, [])
    return seen
