"""What a Python test file imports, and the names a Python file can be imported by."""

from __future__ import annotations

import ast
import re
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from thoughtforge.gate.mirror import packages
from thoughtforge.testing.language import FileImports, ModuleImports
from thoughtforge.workspaces.text import FileText

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


FOLDERS = {"tests", "test", "testdata", "test_data", "__snapshots__"}
FUNCTION = re.compile(r"^(?:async )?def test", re.M)
PYTEST = re.compile(r"^\s*(?:import|from) pytest\b", re.M)
UNITTEST = re.compile(r"^\s*(?:import|from) unittest\b", re.M)


def is_python_test(path: str) -> bool:
    """Tests, `conftest.py` anywhere, and everything in a folder of tests."""
    at = PurePosixPath(path)
    return bool(FOLDERS & set(at.parts[:-1])) or at.name == "conftest.py" or _named_so(at.name)


def files_with_tests(paths: Iterable[str]) -> list[str]:
    """The files a runner would look for tests in."""
    return [path for path in paths if _named_so(PurePosixPath(path).name)]


def imports_unittest_only(text: str) -> bool:
    """Whether a test file is written for unittest alone."""
    return bool(UNITTEST.search(text)) and not PYTEST.search(text) and not FUNCTION.search(text)


def _named_so(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def names_in(path: str, text: str) -> tuple[str, ...]:
    """Ids without parameters, of a file that cannot be run yet; empty when its text cannot be read either."""
    try:
        return tuple(f"{path}::{name}" for name in _names(ast.parse(text).body, ""))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _names(body: list[ast.stmt], outer: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test"):
            yield f"{outer}{node.name}"
        elif isinstance(node, ast.ClassDef) and _holds_tests(node):
            yield from _names(node.body, f"{outer}{node.name}::")


def _holds_tests(node: ast.ClassDef) -> bool:
    above = [ast.unparse(one).rpartition(".")[2] for one in node.bases]
    return node.name.startswith("Test") or any(name.endswith("TestCase") for name in above)


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
