"""What a Python test file imports, and the names a Python file can be imported by."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Collection, Iterator

from thoughtforge.gate.packages import packages
from thoughtforge.suites.language import FileImports

NOTHING = FileImports(frozenset(), has_tests=False)


def imports(path: str, text: str) -> FileImports:
    """What the import statements of a file name; nothing when it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # odd escapes are the linter's business
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return NOTHING
    return FileImports(frozenset(_imports(module, path)), _has_tests(module))


def module_names(paths: Collection[str]) -> Callable[[str], Iterator[str]]:
    """For a tree of these paths: the dotted names a file can be imported by."""
    own = packages(paths)

    def names(path: str) -> Iterator[str]:
        dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for package in own:
            if path.startswith(f"{package.folder}/"):
                yield package.name + dotted[len(package.folder) :]
                return
        parts = dotted.split(".")  # a module without a package: whatever folder is on the path
        yield from (".".join(parts[at:]) for at in range(len(parts)))

    return names


def _imports(module: ast.Module, path: str) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            folder = path.split("/")[: -node.level] if node.level else []
            start = ".".join([*folder, *([node.module] if node.module else [])])
            yield from (f"{start}.{alias.name}" for alias in node.names)


def _has_tests(module: ast.Module) -> bool:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(isinstance(node, kinds) and node.name.lower().startswith("test") for node in ast.walk(module)) or any(
        isinstance(node, ast.ClassDef) and any("TestCase" in ast.unparse(base) for base in node.bases)
        for node in ast.walk(module)
    )
