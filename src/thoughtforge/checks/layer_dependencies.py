"""Imports go downward only: no module imports from a layer above its own."""

from __future__ import annotations

from typing import NamedTuple

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Broken, Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "architecture"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "No module imports from a layer above its own, or from a neighbour in the same one."
HINT = "Move what both need to a lower layer, or hand it in from above."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """The layers of the project."""

    layers: tuple[str | tuple[str, ...], ...] = ()
    """Packages or modules from top to bottom; a list of them is one layer whose members do not import each other."""
    within: str = ""
    """The package all of them are in, so that its name need not be repeated."""


class Place(NamedTuple):
    """Where a module stands: the number of its layer, counted from the top, and the member it belongs to."""

    layer: int
    member: str


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every import that goes up or sideways."""
    graph = await scene.graph()
    if graph is None:
        return []
    modules = graph.modules
    members = _members(options, modules)
    found = []
    for path in scene.paths:
        importer = _module(path, modules) if path.endswith(ENDINGS) else ""
        here = _place(importer, members)
        for imported in sorted(graph.find_modules_directly_imported_by(importer)) if here else ():
            message = _wrong(here, _place(imported, members))
            if message:
                line = min(
                    each["line_number"] for each in graph.get_import_details(importer=importer, imported=imported)
                )
                found.append(
                    Found(path, line, f"{importer} imports {imported}: {message}", anchor=f"{importer} → {imported}")
                )
    return found


def _members(options: Options, modules: set[str]) -> dict[str, int]:
    """Member of a layer → its number. A name that fits nothing would keep nothing, so it is told."""
    if not options.layers:
        raise Broken("no layers are given", do="Name them from top to bottom: layer-dependencies, options, layers.")
    prefix = f"{options.within}." if options.within else ""
    grouped = [(layer,) if isinstance(layer, str) else layer for layer in options.layers]
    members = {f"{prefix}{name}": number for number, names in enumerate(grouped) for name in names}
    unknown = [name for name in members if name not in modules]
    if unknown:
        raise Broken(f"there is no module {', '.join(unknown)}", do="Correct the layers of layer-dependencies.")
    return members


def _module(path: str, modules: set[str]) -> str:
    """The module a file is, whatever folder the packages stand in."""
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    while dotted and dotted not in modules:
        dotted = dotted.partition(".")[2]
    return dotted


def _place(module: str, members: dict[str, int]) -> Place | None:
    while module and module not in members:
        module = module.rpartition(".")[0]
    return Place(members[module], module) if module else None


def _wrong(here: Place | None, there: Place | None) -> str:
    """What is wrong with an import from one place to another; empty when nothing is."""
    if here is None or there is None or here.member == there.member or there.layer > here.layer:
        return ""
    if there.layer == here.layer:
        return f"{here.member} and {there.member} are neighbours and do not know each other"
    return f"{there.member} is above {here.member}"
