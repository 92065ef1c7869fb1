"""The modules of a Python project, and which of them import which."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from thoughtforge.testing.language import ModuleImports
from thoughtforge.workspaces.text import FileText


def modules(texts: Mapping[str, FileText]) -> ModuleImports:
    """The imports between these files."""
    files = module_files(texts)
    known = _spellings(files)
    internal: dict[str, tuple[str, ...]] = {}
    skipped: list[str] = []
    for module, path in sorted(files.items()):
        parsed = _parsed(texts[path])
        if isinstance(parsed, str):
            skipped.append(f"{path}: {parsed}")
            continue
        package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
        found = {target for name in _named(parsed, package) if (target := _longest(name, known))}
        internal[module] = tuple(sorted(found - {module}))
    return ModuleImports(internal, files, tuple(skipped))


def module_files(paths: Iterable[str]) -> dict[str, str]:
    """Module name → file. Names begin below `src/`, or at the topmost package, or at the root of the repository."""
    everything = set(paths)
    short = {path: _module_name(path, everything) for path in everything}
    often = Counter(short.values())
    return {_dotted(path) if often[name] > 1 else name: path for path, name in sorted(short.items())}


def _module_name(path: str, everything: set[str]) -> str:
    folders = PurePosixPath(path).parts[:-1]
    for at in reversed(range(len(folders))):
        if folders[at] == "src" and "/".join((*folders[: at + 1], "__init__.py")) not in everything:
            return _dotted("/".join(PurePosixPath(path).parts[at + 1 :]))
    top = len(folders)
    while top > 0 and "/".join((*folders[:top], "__init__.py")) in everything:
        top -= 1
    return _dotted("/".join(PurePosixPath(path).parts[top:] if top < len(folders) else PurePosixPath(path).parts))


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _spellings(files: Mapping[str, str]) -> dict[str, str]:
    """Every name a module can be imported by: its own, and its path from the root for namespace packages."""
    return {_dotted(path): module for module, path in files.items()} | {module: module for module in files}


def _parsed(file: FileText) -> ast.Module | str:
    """The syntax tree, or why there is none."""
    if file.gap is not None or (file.note and not file.text):
        return file.note
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes in a stranger's code are not ours to announce
            return ast.parse(file.text.removeprefix("\ufeff"))
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return f"cannot be parsed ({type(error).__name__})"


def _named(module: ast.Module, package: str) -> set[str]:
    """Every dotted name the import statements of a module mention."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = _absolute(node, package)
            names.update(f"{start}.{alias.name}".removesuffix(".*").lstrip(".") for alias in node.names)
    return names


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    above = package.split(".")
    above = above[: max(len(above) - node.level + 1, 0)]
    return ".".join([*above, *([node.module] if node.module else [])])


def _longest(name: str, known: Mapping[str, str]) -> str | None:
    """The module a dotted name leads to: the longest beginning of it that is one."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return known.get(name)
