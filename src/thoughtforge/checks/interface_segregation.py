"""A package is used through its public modules only."""

from __future__ import annotations

from collections.abc import Iterable

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Broken, Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "architecture"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "Code outside a package imports only the modules the package offers."
HINT = "Import one of the public modules, or offer what you need there."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """What each package offers."""

    public: dict[str, tuple[str, ...]] = {}
    """Package → the modules others may import; the package's own name means its `__init__`."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every import from outside of a module that is not offered."""
    graph = await scene.graph()
    if graph is None:
        return []
    modules = graph.modules
    _known(options, modules)
    files = {_module(path, modules): path for path in scene.paths if path.endswith(ENDINGS)}
    found = []
    for package, offered in options.public.items():
        for hidden in sorted(_hidden(package, offered, modules)):
            users = [user for user in graph.find_modules_that_directly_import(hidden) if not _inside(user, package)]
            for user in sorted(user for user in users if user in files):
                details = graph.get_import_details(importer=user, imported=hidden)
                message = f"{user} imports {hidden}, which {package} does not offer ({', '.join(offered) or 'nothing'})"
                line = min(each["line_number"] for each in details)
                found.append(Found(files[user], line, message, anchor=f"{user} → {hidden}"))
    return found


def _known(options: Options, modules: set[str]) -> None:
    """Told when a name fits nothing: such a rule would keep nothing."""
    if not options.public:
        raise Broken("no package is given", do="Name what each offers: interface-segregation, options, public.")
    named = [*options.public, *(name for offered in options.public.values() for name in offered)]
    unknown = sorted({name for name in named if name not in modules})
    if unknown:
        raise Broken(f"there is no module {', '.join(unknown)}", do="Correct the packages of interface-segregation.")


def _hidden(package: str, offered: Iterable[str], modules: set[str]) -> set[str]:
    """Modules of a package that only its own modules may import."""
    public = set(offered)
    return {name for name in modules if _inside(name, package) and name not in public}


def _inside(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def _module(path: str, modules: set[str]) -> str:
    """The module a file is: the longest end of its path that is one."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    names = (".".join(parts[at:]) for at in range(len(parts)))
    return next((name for name in names if name in modules), "")
