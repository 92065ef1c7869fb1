"""No module imports itself by way of others."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

if TYPE_CHECKING:
    from grimp import ImportGraph

CATEGORY: Category = "architecture"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "No import closes a cycle; imports only for type checking do not count."
HINT = "Move what both need to a separate module, or pass it as an argument."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)

Links = Mapping[str, tuple[str, ...]]


class Options(Value):
    """What is left out."""

    ignore: tuple[str, ...] = ()
    """Modules whose imports do not count, such as a package's `__init__` that only gathers names."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every import of the files that is part of a circle, with the shortest way back."""
    graph = await context.graph()
    if graph is None:
        return []
    modules = graph.modules - set(options.ignore)
    files = {_module(path, modules): path for path in context.paths if path.endswith(ENDINGS)}
    links = _tangled({module: graph.find_modules_directly_imported_by(module) & modules for module in modules})
    return list(_closing(graph, links, files))


def _tangled(links: dict[str, set[str]]) -> Links:
    """The modules that import and are imported among each other: whatever is in a circle is left, and little else."""
    while True:
        imported = set[str]().union(*links.values())
        left = {module for module, targets in links.items() if targets and module in imported}
        if len(left) == len(links):
            return {module: tuple(sorted(targets)) for module, targets in links.items()}
        links = {module: links[module] & left for module in left}


def _module(path: str, modules: set[str]) -> str:
    """The module a file is: the longest end of its path that is one."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    while name and name not in modules:
        _, _, name = name.partition(".")
    return name


def _closing(graph: ImportGraph, links: Links, files: Mapping[str, str]) -> Iterator[Violation]:
    """The imports that stand in the files and have a way back.

    Each import is a finding of its own: in a large circle that was always there, a further one is still new.
    """
    for importer in sorted(links.keys() & files.keys()):
        for imported in links[importer]:
            back = _way(imported, importer, links)
            if back:
                details = graph.get_import_details(importer=importer, imported=imported)
                line = min(each["line_number"] for each in details)
                message = f"circular import: {' → '.join((importer, *back))}"
                yield Violation(files[importer], line, message, anchor=f"{importer} → {imported}")


def _way(start: str, end: str, links: Links) -> tuple[str, ...]:
    """The shortest way from one module to another; empty when there is none."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = deque([start])
    while waiting and end not in ways:
        here = waiting.popleft()
        for following in [each for each in links[here] if each not in ways]:
            ways[following] = (*ways[here], following)
            waiting.append(following)
    return ways.get(end, ())
