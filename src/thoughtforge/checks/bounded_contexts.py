"""Parts of a program that were kept apart on purpose do not import each other."""

from __future__ import annotations

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Broken, Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "architecture"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "No context imports another one, except for what is shared."
HINT = "Let the contexts meet in a shared package, or translate at the border in code that belongs to neither."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """The contexts of the project."""

    contexts: dict[str, str] = {}
    """Name of a context → its package."""
    shared: tuple[str, ...] = ()
    """Packages or modules every context may import, also where they are inside one."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every import from one context into another."""
    graph = await scene.graph()
    if graph is None:
        return []
    modules = graph.modules
    _known(options, modules)
    found = []
    for path in filter(lambda each: each.endswith(ENDINGS), scene.paths):
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        importer = next((name for at in range(len(parts)) if (name := ".".join(parts[at:])) in modules), "")
        home = _context(importer, options)
        for imported in sorted(graph.find_modules_directly_imported_by(importer)) if home else ():
            other = _context(imported, options)
            if other not in ("", home):
                message = f"{importer} of {home} imports {imported} of {other}"
                at = min(each["line_number"] for each in graph.get_import_details(importer=importer, imported=imported))
                found.append(Found(path, at, message, anchor=f"{importer} → {imported}"))
    return found


def _known(options: Options, modules: set[str]) -> None:
    """Told when a name fits nothing: such a rule would keep nothing."""
    if len(options.contexts) < 2:
        raise Broken("fewer than two contexts are given", do="Name them: bounded-contexts, options, contexts.")
    unknown = sorted({*options.contexts.values(), *options.shared} - modules)
    if unknown:
        raise Broken(f"there is no module {', '.join(unknown)}", do="Correct the contexts of bounded-contexts.")


def _context(module: str, options: Options) -> str:
    """The name of the context a module is in; empty for shared modules and those of no context."""
    if any(_inside(module, each) for each in options.shared):
        return ""
    inner = [name for name, package in options.contexts.items() if _inside(module, package)]
    return max(inner, key=lambda name: len(options.contexts[name]), default="")


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")
