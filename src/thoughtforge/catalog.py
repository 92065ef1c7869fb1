"""Find things by name: data files (project → user → built-in), extension files and entry points; render prompts."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.abc import SourceLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from thoughtforge.kernel.errors import UserError

if TYPE_CHECKING:
    from jinja2 import Template

LIBRARY = Path(__file__).parent / "library"
KINDS = {
    "pipelines": ".yaml",
    "roles": ".yaml",
    "contracts": ".yaml",
    "prompts": ".md",
    "templates": ".md",
    "conformance": ".yaml",
    "tools": ".yaml",
    "guards": ".yaml",
}
"""Kind of data file → its ending. The file's name is the thing's name."""


class DataFile(NamedTuple):
    """One data file and where it came from."""

    kind: str
    name: str
    path: str
    text: str
    digest: str
    layer: str
    """project, user or built-in."""


class Rendered(NamedTuple):
    """A prompt with its variables filled in."""

    text: str
    digest: str
    """Of the file, not of the filled-in text."""


class Catalog:
    """The search path of one task."""

    def __init__(self, *, project: Mapping[str, str], user: Path | None, library: Path = LIBRARY) -> None:
        self.project = project
        """Path below .thoughtforge/ → text, as the base commit has it; the working copy never counts."""
        self.user = user
        self.library = library

    def all(self, kind: str, name: str) -> tuple[DataFile, ...]:
        """Every file of that name, the one in force first."""
        relative = f"{kind}/{name}{KINDS[kind]}"
        found = []
        if relative in self.project:
            found.append(_data_file(kind, name, f".thoughtforge/{relative}", self.project[relative], "project"))
        for layer, folder in (("user", self.user), ("built-in", self.library)):
            path = folder / relative if folder else None
            if path is not None and path.is_file():
                shown = f"library/{relative}" if layer == "built-in" else str(path)
                found.append(_data_file(kind, name, shown, _text(path), layer))
        return tuple(found)

    def find(self, kind: str, name: str) -> DataFile:
        """The file in force; an unknown name lists those that exist."""
        found = self.all(kind, name)
        if not found:
            raise UserError(f"there is no {kind[:-1]} {name!r}", do=f"Known: {', '.join(self.names(kind)) or 'none'}")
        return found[0]

    def names(self, kind: str) -> tuple[str, ...]:
        """The names of all files of a kind."""
        ending = KINDS[kind]
        ours = [path for path in self.project if path.startswith(f"{kind}/") and path.endswith(ending)]
        names = {path.removesuffix(ending).split("/")[1] for path in ours}
        for folder in (self.user, self.library):
            if folder is not None:
                names |= {path.stem for path in (folder / kind).glob(f"*{ending}")}
        return tuple(sorted(names))

    def render(self, name: str, /, **variables: Any) -> Rendered:
        """A prompt; a variable the file names and nobody gave is an error, never an empty string."""
        from jinja2 import TemplateError

        file = self.find("prompts", name)
        try:
            return Rendered(_template(file.text).render(**variables), file.digest)
        except TemplateError as error:
            raise UserError(
                f"{file.path}: {error}", do="Correct the prompt, or remove it to get the built-in one."
            ) from error


@cache  # every step renders the same files
def _template(text: str) -> Template:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    jinja = SandboxedEnvironment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=False)
    return jinja.from_string(text)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UserError(f"{path}, line {line}: not UTF-8 text", do="Save it as UTF-8.") from error


def _data_file(kind: str, name: str, path: str, text: str, layer: str) -> DataFile:
    return DataFile(kind, name, path, text, hashlib.sha256(text.encode()).hexdigest(), layer)


@cache  # looking through every installed distribution takes longer than a step
def _entry_points(package: str) -> dict[str, EntryPoint]:
    return {point.name: point for point in reversed(tuple(entry_points(group=f"thoughtforge.{package}")))}


@cache
def extension_names(package: str) -> tuple[str, ...]:
    """Every extension of a kind: our own files and folders, and entry points of other distributions."""
    ours = importlib.import_module(f"thoughtforge.{package}")
    names = {module.name for module in pkgutil.iter_modules(ours.__path__)}
    return tuple(sorted(names | _entry_points(package).keys()))


def extension(package: str, name: str) -> ModuleType:
    """The extension of that name; a wrong name lists what exists."""
    point = _entry_points(package).get(name)
    if point is not None:
        loaded: ModuleType = point.load()
        return loaded
    known = extension_names(package)
    if name not in known:
        kind = package.rpartition(".")[2][:-1]
        raise UserError(f"there is no {kind} {name!r}", do=f"Known: {', '.join(known)}")
    return importlib.import_module(f"thoughtforge.{package}.{name}")


@cache
def declared(package: str, constant: str) -> tuple[str, ...]:
    """What the extensions of a kind declare under one name, all together; ours that do not name it are not loaded."""
    added = _entry_points(package)
    names = [name for name in extension_names(package) if name in added or _names(package, name, constant)]
    modules = [extension(package, name) for name in names]
    return tuple(dict.fromkeys(each for module in modules for each in getattr(module, constant, ())))


def _names(package: str, name: str, constant: str) -> bool:
    """Whether an extension of ours may declare something: its source names it, or is not there."""
    module = f"thoughtforge.{package}.{name}"
    spec = importlib.util.find_spec(module)
    source = spec.loader.get_source(module) if spec and isinstance(spec.loader, SourceLoader) else None
    return source is None or constant in source


class Extensions(Mapping[str, ModuleType]):
    """The extensions of a kind by name; each is loaded when it is first asked for, so nobody pays for the rest."""

    def __init__(self, package: str) -> None:
        self.package = package

    def __getitem__(self, name: str) -> ModuleType:
        if name not in self:
            raise KeyError(name)
        return extension(self.package, name)

    def __contains__(self, name: object) -> bool:
        return name in extension_names(self.package)

    def __iter__(self) -> Iterator[str]:
        return iter(extension_names(self.package))

    def __len__(self) -> int:
        return len(extension_names(self.package))


def added_extensions(package: str) -> Mapping[str, ModuleType]:
    """What other distributions add to a kind of extension that has no folder here."""
    return {name: point.load() for name, point in _entry_points(package).items()}
