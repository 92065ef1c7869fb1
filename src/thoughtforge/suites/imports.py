"""Who imports whom in a tree, as far as its languages tell, and what the project declares to need from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from thoughtforge.suites.declared import Declared, declared_in, declares
from thoughtforge.suites.language import languages
from thoughtforge.workspaces.tree import Tree


class Graph(NamedTuple):
    """The dependencies of a tree. `internal` names for each module the modules of the project it imports."""

    internal: dict[str, tuple[str, ...]]
    external: tuple[Declared, ...]
    cycles: tuple[tuple[str, ...], ...]
    """Groups of modules that reach each other by imports."""
    skipped: tuple[str, ...]
    """Files that could not be taken into account, each with the reason."""
    files: dict[str, str]
    """The file of each module."""


_known: WeakKeyDictionary[Tree, Graph] = WeakKeyDictionary()


async def dependency_graph(tree: Tree) -> Graph:
    """The graph of a tree, computed once per tree."""
    if tree not in _known:
        _known[tree] = await _computed(tree)
    return _known[tree]


async def _computed(tree: Tree) -> Graph:
    paths = [entry.path for entry in tree.paths() if entry.kind == "file"]
    internal: dict[str, tuple[str, ...]] = {}
    files: dict[str, str] = {}
    skipped: list[str] = []
    for language in languages().values():
        if language.modules is not None:
            found = language.modules({path: await tree.read(path) for path in paths if path.endswith(language.endings)})
            internal |= found.internal
            files |= found.files
            skipped += found.skipped
    declared = [declared_in(path, await tree.read(path)) for path in paths if declares(path)]
    external = tuple(sorted({one for each in declared for one in each.dependencies}))
    skipped += [problem for each in declared for problem in each.skipped]
    return Graph(internal, external, circles(internal), tuple(skipped), files)


def circles(graph: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    """Groups of nodes that all reach each other (strongly connected components of two and more)."""
    backward: dict[str, list[str]] = {node: [] for node in graph}
    for node, targets in graph.items():
        for target in targets:
            backward.setdefault(target, []).append(node)
    order: list[str] = []
    seen: set[str] = set()
    for node in sorted(graph):
        order += _finished(node, graph, seen)
    seen.clear()
    groups = [_finished(node, backward, seen) for node in reversed(order)]
    return tuple(sorted(tuple(sorted(group)) for group in groups if len(group) > 1))


def _finished(start: str, graph: Mapping[str, Iterable[str]], seen: set[str]) -> list[str]:
    """What a depth-first walk newly reaches from a node, in the order in which it is done with each."""
    if start in seen:
        return []
    seen.add(start)
    done: list[str] = []
    stack = [(start, iter(graph.get(start, ())))]
    while stack:
        node, rest = stack[-1]
        following = next((target for target in rest if target not in seen), None)
        if following is None:
            stack.pop()
            done.append(node)
        else:
            seen.add(following)
            stack.append((following, iter(graph.get(following, ()))))
    return done
