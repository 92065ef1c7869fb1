"""The tree under test on the import path: first, always from source, and provably the one that was imported."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from types import CodeType
from typing import Any

NEVER = {"node_modules", "__pycache__", "build", "dist", "site-packages"}
DEEPEST = 3
"""How many folders without `__init__.py` deep a package is looked for."""


class FromSource(SourceFileLoader):
    """Compiles a module each time: a forged `.pyc` in the tree is never read."""

    def get_code(self, fullname: str) -> CodeType:
        """The module compiled from its source, now."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def put_first(root: str, places: Sequence[str]) -> None:
    """Make the tree's folders the first ones modules are looked for in."""
    inside = root.rstrip(os.sep) + os.sep
    make = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (FromSource, [".py"]))

    def hook(path: str) -> Any:
        if (path.rstrip(os.sep) + os.sep).startswith(inside):
            return make(path)
        raise ImportError("not in the tree", path=path)

    sys.path_hooks.insert(0, hook)
    for cached in [path for path in sys.path_importer_cache if (path + os.sep).startswith(inside)]:
        del sys.path_importer_cache[cached]
    sys.path[:0] = places


def provided(places: Sequence[str]) -> set[str]:
    """The modules and packages that folders on the import path provide, by the shortest name that is theirs alone."""
    names: set[str] = set()
    for place in places:
        names.update(_names(place, "", DEEPEST))
    return names


def _names(folder: str, prefix: str, deep: int) -> Iterator[str]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        stem, ending = os.path.splitext(entry.name)  # noqa: PTH122 - listing a large folder with Path costs tenfold
        if ending == ".py" and stem.isidentifier():
            yield prefix + stem
        elif not ending and stem.isidentifier() and stem not in NEVER and entry.is_dir():
            yield from _package(entry.path, prefix + stem, deep)


def _package(folder: str, name: str, deep: int) -> Iterator[str]:
    if os.path.exists(os.path.join(folder, "__init__.py")):  # noqa: PTH110, PTH118
        yield name
    elif deep > 1 and not os.path.exists(os.path.join(folder, "pyvenv.cfg")):  # noqa: PTH110, PTH118
        yield from _names(folder, name + ".", deep - 1)


def origin_check(root: str, names: set[str]) -> Callable[[], list[str]]:
    """A function that says which imported modules should have come from the tree and did not."""
    inside = os.path.realpath(root).rstrip(os.sep) + os.sep
    modules, realpath = sys.modules, os.path.realpath
    ours = names - set(getattr(sys, "stdlib_module_names", ())) - {"__main__"}

    def strangers() -> list[str]:
        found = []
        for name, module in list(modules.items()):
            parts = name.split(".")
            if not any(".".join(parts[:count]) in ours for count in range(1, len(parts) + 1)):
                continue
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and not realpath(file).startswith(inside):
                found.append(f"{name} from {file}")
        return found

    return strangers
