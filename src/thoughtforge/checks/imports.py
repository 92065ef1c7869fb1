"""Checks on who imports whom: layers, contexts that are kept apart, and packages with a public side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from thoughtforge.gate.context import Broken, Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value

Judge = Callable[[str, str], Iterator[str]]
"""Importer and imported → everything wrong with that import."""


class Layers(Value):
    """The layers of the project."""

    layers: tuple[str | tuple[str, ...], ...] = ()
    """Packages or modules from top to bottom; a list of them is one layer whose members do not import each other."""
    within: str = ""
    """The package that holds all of them, so that you need not repeat its name."""


class Contexts(Value):
    """The contexts of the project."""

    contexts: dict[str, str] = {}
    """Name of a context → its package."""
    shared: tuple[str, ...] = ()
    """Packages or modules that every context may import, even those inside another context."""


class PublicModules(Value):
    """What each package offers."""

    public: dict[str, tuple[str, ...]] = {}
    """Package → the modules others may import; the package's own name means its `__init__`."""


class ImportCheck(NamedTuple):
    """One of the checks; they differ in their options and in what they find wrong with an import."""

    name: str
    SEVERITY: Severity
    DESCRIPTION: str
    HINT: str
    Options: type[Value]
    judge: Callable[[Any, set[str]], Judge]
    """Options and the modules there are → what judges an import; Broken when the options would keep nothing."""
    CATEGORY: Category = "architecture"
    MOMENT: Moment = "every_edit"
    ACTIVE: bool = False
    RUFF: tuple[str, ...] = ()
    ENDINGS: tuple[str, ...] = (".py",)

    async def run(self, context: CheckContext, options: Value) -> list[Violation]:
        """Every import of the files that is not allowed."""
        graph = await context.graph()
        if graph is None:
            return []
        modules = graph.modules
        wrong = self.judge(options, modules)
        found = []
        for path in context.paths:
            importer = _module(path, modules) if path.endswith(self.ENDINGS) else ""
            for imported in sorted(graph.find_modules_directly_imported_by(importer)) if importer else ():
                for message in wrong(importer, imported):
                    details = graph.get_import_details(importer=importer, imported=imported)
                    line = min(each["line_number"] for each in details)
                    found.append(Violation(path, line, message, anchor=f"{importer} → {imported}"))
        return found


def _layers(options: Layers, modules: set[str]) -> Judge:
    if not options.layers:
        raise Broken("no layers are given", do="List them from top to bottom: layer-dependencies, options, layers.")
    prefix = f"{options.within}." if options.within else ""
    grouped = [(layer,) if isinstance(layer, str) else layer for layer in options.layers]
    members = {f"{prefix}{name}": number for number, names in enumerate(grouped) for name in names}
    _known(members, modules, do="Correct the layers of layer-dependencies.")

    def wrong(importer: str, imported: str) -> Iterator[str]:
        here, there = _innermost(importer, members), _innermost(imported, members)
        if not here or not there or here == there or members[there] > members[here]:
            return
        why = f"{there} is above {here}"
        if members[there] == members[here]:
            why = f"{here} and {there} are in the same layer and must stay independent"
        yield f"{importer} imports {imported}: {why}"

    return wrong


def _contexts(options: Contexts, modules: set[str]) -> Judge:
    if len(options.contexts) < 2:
        raise Broken("fewer than two contexts are given", do="Name them: bounded-contexts, options, contexts.")
    _known((*options.contexts.values(), *options.shared), modules, do="Correct the contexts of bounded-contexts.")
    names = {package: name for name, package in reversed(options.contexts.items())}

    def context(module: str) -> str:
        """Empty for shared modules and those of no context."""
        shared = any(_inside(module, each) for each in options.shared)
        return "" if shared else names.get(_innermost(module, names), "")

    def wrong(importer: str, imported: str) -> Iterator[str]:
        home, other = context(importer), context(imported)
        if home and other not in ("", home):
            yield f"{importer} of {home} imports {imported} of {other}"

    return wrong


def _public(options: PublicModules, modules: set[str]) -> Judge:
    if not options.public:
        raise Broken("no package is given", do="Name what each offers: interface-segregation, options, public.")
    named = [*options.public, *(name for offered in options.public.values() for name in offered)]
    _known(named, modules, do="Correct the packages of interface-segregation.")

    def wrong(importer: str, imported: str) -> Iterator[str]:
        for package, offered in options.public.items():
            if _inside(imported, package) and imported not in offered and not _inside(importer, package):
                public = ", ".join(offered) or "nothing"
                yield f"{importer} imports {imported}, which {package} does not offer ({public})"

    return wrong


def _known(named: Any, modules: set[str], *, do: str) -> None:
    """Told when a name fits nothing: such a rule would keep nothing."""
    unknown = sorted(set(named) - modules)
    if unknown:
        raise Broken(f"there is no module {', '.join(unknown)}", do=do)


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _innermost(module: str, packages: dict[str, Any]) -> str:
    """The closest of the packages a module is in; empty when it is in none."""
    while module and module not in packages:
        module = module.rpartition(".")[0]
    return module


def _module(path: str, modules: set[str]) -> str:
    """The module a file is: the longest end of its path that is one."""
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    while name and name not in modules:
        name = name.partition(".")[2]
    return name


_ALL = (
    ImportCheck(
        "layer-dependencies",
        "critical",
        "No module imports from a layer above its own, or from a neighbour in the same one.",
        "Move what both need to a lower layer, or pass it in from above.",
        Layers,
        _layers,
    ),
    ImportCheck(
        "bounded-contexts",
        "critical",
        "No context imports another one, except shared modules.",
        "Move what both need to a shared package, or translate in code that belongs to neither context.",
        Contexts,
        _contexts,
    ),
    ImportCheck(
        "interface-segregation",
        "major",
        "Code outside a package imports only the modules the package offers.",
        "Import one of the public modules, or make what you need public there.",
        PublicModules,
        _public,
    ),
)
CHECKS = {each.name: each for each in _ALL}
