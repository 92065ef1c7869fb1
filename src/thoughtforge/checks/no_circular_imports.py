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

Links = dict[str, set[str]]


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
    links = {module: graph.find_modules_directly_imported_by(module) & modules for module in modules}
    selves = {module for module in links if module in links[module]}
    users = _tangled({module: targets - {module} for module, targets in links.items()})
    for module in selves & users.keys():  # `from . import name` where that is no module: nothing on its own
        users[module].add(module)
    return [
        each for importer in sorted(users.keys() & files.keys()) for each in _closing(graph, importer, users, files)
    ]


def _tangled(links: Links) -> Links:
    """Module → who imports it, without those that import nothing or are imported by nobody: they are in no circle."""
    users: Links = {module: set() for module in links}
    for module, targets in links.items():
        for target in targets:
            users[target].add(module)
    free = [module for module in links if not links[module] or not users[module]]
    while free:
        module = free.pop()
        if module not in users:
            continue
        for target in links.pop(module):
            users[target].discard(module)
            free += [target] if not users[target] else []
        for user in users.pop(module):
            links[user].discard(module)
            free += [user] if not links[user] else []
    return users


def _module(path: str, modules: set[str]) -> str:
    """The module a file is: the longest end of its path that is one."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    while name and name not in modules:
        _, _, name = name.partition(".")
    return name


def _closing(graph: ImportGraph, importer: str, users: Links, files: Mapping[str, str]) -> Iterator[Violation]:
    """The imports of one module that have a way back to it.

    Each import is a finding of its own: in a large circle that was always there, a further one is still new.
    """
    nearer = _ways_to(importer, users)
    for imported in sorted(name for name in nearer if importer in users[name]):
        details = graph.get_import_details(importer=importer, imported=imported)
        way, here = [importer, imported], imported
        while here != importer:
            here = nearer[here]
            way.append(here)
        line = min(each["line_number"] for each in details)
        yield Violation(files[importer], line, f"circular import: {' → '.join(way)}", anchor=f"{importer} → {imported}")


def _ways_to(end: str, users: Links) -> dict[str, str]:
    """Every module from which imports lead to this one → the next module on the shortest way there."""
    nearer: dict[str, str] = {}
    waiting = deque([end])
    while waiting:
        here = waiting.popleft()
        for user in sorted(users[here] - nearer.keys()):
            nearer[user] = here
            waiting.append(user)
    return nearer
