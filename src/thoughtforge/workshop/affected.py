"""The tests to run after an edit, nearest first: quick advice, never a verdict; everything runs at a stage's end.

A test file is near a changed file when it is called after it, imports it, or imports what imports it.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from thoughtforge.gate.files import View
from thoughtforge.gate.packages import Package, packages
from thoughtforge.gate.scene import Broken
from thoughtforge.workshop.workshop import Workshop

if TYPE_CHECKING:
    from grimp import ImportGraph

UNKNOWN_SECONDS = 0.2
"""What a file of tests nobody has timed is taken to need."""
CODE = (".py", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".go", ".rs")
BARE = re.compile(r"(?:tests?_)?(.+?)(?:_tests?|_spec|\.tests?|\.spec|Tests?|Spec)?")
FIXTURES = "conftest.py"
ITSELF, BY_NAME, BY_IMPORT = 0.0, 1.0, 2.0
"""How far away: the file itself, one called after it, one that imports it; one more for each module between."""


class Parsed(NamedTuple):
    """What a Python file of the tests says of itself."""

    imports: frozenset[str]
    has_tests: bool


NOTHING = Parsed(frozenset(), has_tests=False)
_known: dict[tuple[str, str], Parsed] = {}
"""By path and content, so that an edit costs one file's parsing."""


async def affected(workshop: Workshop, changed: Sequence[str], *, seconds: float) -> tuple[str, ...]:
    """Test files near the changed ones, as many as fit into this time by what they took before."""
    if seconds <= 0 or not changed:
        return ()
    files = workshop.gate.files
    view = View(files, (), None)
    own = packages(files.texts)
    reach = _reach({name for path in changed for name in _names(path, own)}, await _graph(view))
    took = _took(workshop.baseline.seconds)
    tests = [path for path in files.texts if path.endswith(CODE) and workshop.runner.is_test(path)]
    parsed = {path: _parse(path, view) for path in tests if path.endswith(".py")}
    _reach_support(reach, parsed, own)
    near = []
    for path in tests:
        if path in took or (parsed[path].has_tests if path in parsed else True):
            far = min(_by_name(path, changed), _by_imports(path, parsed, reach=reach))
            near += [(far, path)] if far < math.inf else []
    return tuple(_fitting(sorted(near), took, seconds))


def _fitting(near: Sequence[tuple[float, str]], took: Mapping[str, float], seconds: float) -> Iterator[str]:
    for _, path in near:
        cost = took.get(path, UNKNOWN_SECONDS)
        if cost <= seconds:
            seconds -= cost
            yield path


def _took(seconds: Mapping[str, float]) -> dict[str, float]:
    """What the tests of each file took together."""
    took: dict[str, float] = {}
    for id, cost in seconds.items():
        file = id.partition("::")[0]
        took[file] = took.get(file, 0.0) + cost
    return took


async def _graph(view: View) -> ImportGraph | None:
    try:
        return await view.graph()
    except Broken:
        return None  # the gate tells; here names and direct imports must do


def _names(path: str, own: Collection[Package]) -> Iterator[str]:
    """The dotted names a Python file can be imported by."""
    if not path.endswith(".py"):
        return
    dotted = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    for package in own:
        if path.startswith(f"{package.folder}/"):
            yield package.name + dotted[len(package.folder) :]
            return
    parts = dotted.split(".")  # a module without a package: whatever folder is on the path
    yield from (".".join(parts[at:]) for at in range(len(parts)))


def _reach(names: Collection[str], graph: ImportGraph | None) -> dict[str, int]:
    """Module → how many modules lie between it and a changed one; 0 for the changed ones."""
    reach = dict.fromkeys(names, 0)
    waiting = [name for name in names if graph is not None and name in graph.modules]
    distance = 0
    while waiting and graph is not None:
        distance += 1
        users = {user for name in waiting for user in graph.find_modules_that_directly_import(name)} - set(reach)
        reach |= dict.fromkeys(users, distance)
        waiting = list(users)
    return reach


def _reach_support(reach: dict[str, int], parsed: Mapping[str, Parsed], own: Collection[Package]) -> None:
    """Add what belongs to the tests without being one: modules beside them that reach the change."""
    waiting = {path: file.imports for path, file in parsed.items() if not file.has_tests}
    grown = True
    while grown:
        found = {path: far for path, names in waiting.items() if (far := _nearest(names, reach)) < math.inf}
        grown = bool(found)
        for path, far in found.items():
            del waiting[path]
            for name in _names(path, own):
                reach.setdefault(name, int(far) + 1)


def _by_name(test: str, changed: Sequence[str]) -> float:
    if test in changed:
        return ITSELF
    bare = _bare(PurePosixPath(test))
    for path in map(PurePosixPath, changed):
        stem = path.parent.name if path.stem in ("__init__", "index", "mod") else path.stem
        if bare == stem or (len(stem) > 2 and bare.startswith(f"{stem}_")):
            return BY_NAME
        if path.name == FIXTURES and PurePosixPath(test).is_relative_to(path.parent):
            return BY_IMPORT
        if (
            path.suffix != ".py"
            and path.suffix == PurePosixPath(test).suffix
            and path.parent == PurePosixPath(test).parent
        ):
            return BY_IMPORT  # without a graph of imports the folder must do; in Go it is the package
    return math.inf


def _bare(test: PurePosixPath) -> str:
    """What a test file is called after: `report` for test_report.py, report.spec.ts, report_test.go."""
    found = BARE.fullmatch(test.stem)
    return found[1] if found else test.stem


def _by_imports(test: str, parsed: Mapping[str, Parsed], *, reach: Mapping[str, int]) -> float:
    """How far the changed modules are from what a test, or a conftest.py above it, imports."""
    own = _nearest(parsed.get(test, NOTHING).imports, reach)
    above = [str(folder / FIXTURES) for folder in PurePosixPath(test).parents]
    given = min(_nearest(parsed.get(path, NOTHING).imports, reach) for path in above) + 1
    return BY_IMPORT + min(own, given)


def _nearest(imports: Collection[str], reach: Mapping[str, int]) -> float:
    """Importing a.b.c also runs a and a.b."""
    parts = (name.split(".") for name in imports)
    names = {".".join(each[:size]) for each in parts for size in range(1, len(each) + 1)}
    return min((reach[name] for name in names if name in reach), default=math.inf)


def _parse(path: str, view: View) -> Parsed:
    key = (path, view.files.digests.get(path, ""))
    if key not in _known:
        module = view.module(path)
        _known[key] = NOTHING if module is None else Parsed(frozenset(_imports(module, path)), _has_tests(module))
    return _known[key]


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
