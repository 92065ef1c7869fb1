"""The tests to run after an edit, nearest first: quick advice, never a verdict; everything runs at a stage's end.

A test file is near a changed file when it is called after it, imports it, or imports what imports it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from thoughtforge.code.session import CodeSession
from thoughtforge.gate.context import Broken
from thoughtforge.gate.files import View
from thoughtforge.testing.language import FileImports, Language, by_ending, languages

if TYPE_CHECKING:
    from grimp import ImportGraph

UNKNOWN_SECONDS = 0.2
"""What a file of tests nobody has timed is taken to need."""
BARE = re.compile(r"(?:tests?_)?(.+?)(?:_tests?|_spec|\.tests?|\.spec|Tests?|Spec)?")
ITSELF, BY_NAME, BY_IMPORT = 0.0, 1.0, 2.0
"""How far away: the file itself, one called after it, one that imports it; one more for each module between."""


NOTHING = FileImports(frozenset(), has_tests=False)
_known: dict[tuple[str, str], FileImports] = {}
"""By path and content, so that an edit costs one file's parsing."""


async def affected(session: CodeSession, changed: Sequence[str], *, seconds: float) -> tuple[str, ...]:
    """Test files near the changed ones, as many as fit into this time by what they took before."""
    if seconds <= 0 or not changed:
        return ()
    files = session.gate.files
    view = View(files, (), None)
    names = _namers(files.texts)
    reach = _reach({name for path in changed for name in names(path)}, await _graph(view))
    took = _took(session.baseline.seconds)
    tests = [path for path in files.texts if _language(path) and session.runner.is_test(path)]
    parsed = {path: found for path in tests if (found := _parse(path, view)) is not None}
    _reach_support(reach, parsed, names)
    near = []
    for path in tests:
        if path in took or (parsed[path].has_tests if path in parsed else True):
            far = min(_by_name(path, changed), _by_imports(path, parsed, reach=reach))
            near += [(far, path)] if far < math.inf else []
    return tuple(_fitting(sorted(near), took, seconds))


def _language(path: str) -> Language | None:
    """Every edit asks this for every path of the tree, several times."""
    name = path[path.rfind("/") + 1 :]
    at = name.rfind(".")
    return by_ending().get(name[at:] if at > 0 else "")


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


def _namers(paths: Collection[str]) -> Callable[[str], Iterator[str]]:
    """The names a file can be imported by, as its language tells them."""
    known = {each.title: each.module_names(paths) for each in languages().values() if each.module_names}

    def names(path: str) -> Iterator[str]:
        language = _language(path)
        if language is not None and language.title in known:
            yield from known[language.title](path)

    return names


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


def _reach_support(
    reach: dict[str, int], parsed: Mapping[str, FileImports], module_names: Callable[[str], Iterator[str]]
) -> None:
    """Add what belongs to the tests without being one: modules beside them that reach the change."""
    waiting = {path: file.names for path, file in parsed.items() if not file.has_tests}
    grown = True
    while grown:
        found = {path: far for path, names in waiting.items() if (far := _nearest(names, reach)) < math.inf}
        grown = bool(found)
        for path, far in found.items():
            del waiting[path]
            for name in module_names(path):
                reach.setdefault(name, int(far) + 1)


def _by_name(test: str, changed: Sequence[str]) -> float:
    if test in changed:
        return ITSELF
    bare = _bare(PurePosixPath(test))
    for path in map(PurePosixPath, changed):
        language = _language(str(path))
        stem = path.parent.name if language and path.stem in language.folder_stems else path.stem
        if bare == stem or (len(stem) > 2 and bare.startswith(f"{stem}_")):
            return BY_NAME
        if language and path.name == language.fixtures and PurePosixPath(test).is_relative_to(path.parent):
            return BY_IMPORT
        if (
            not (language and language.imports)
            and path.suffix == PurePosixPath(test).suffix
            and path.parent == PurePosixPath(test).parent
        ):
            return BY_IMPORT  # where no imports are read the folder must do; some languages make it a package
    return math.inf


def _bare(test: PurePosixPath) -> str:
    """What a test file is called after: `report` for test_report.py, report.spec.ts, report_test.go."""
    found = BARE.fullmatch(test.stem)
    return found[1] if found else test.stem


def _by_imports(test: str, parsed: Mapping[str, FileImports], *, reach: Mapping[str, int]) -> float:
    """How far the changed modules are from what a test, or a file of fixtures above it, imports."""
    own = _nearest(parsed.get(test, NOTHING).names, reach)
    language = _language(test)
    above = [str(folder / language.fixtures) for folder in PurePosixPath(test).parents] if language else []
    given = min((_nearest(parsed.get(path, NOTHING).names, reach) for path in above), default=math.inf) + 1
    return BY_IMPORT + min(own, given)


def _nearest(imports: Collection[str], reach: Mapping[str, int]) -> float:
    """Importing a.b.c also runs a and a.b."""
    parts = (name.split(".") for name in imports)
    names = {".".join(each[:size]) for each in parts for size in range(1, len(each) + 1)}
    return min((reach[name] for name in names if name in reach), default=math.inf)


def _parse(path: str, view: View) -> FileImports | None:
    language = _language(path)
    if language is None or language.imports is None:
        return None
    key = (path, view.files.digests.get(path, ""))
    if key not in _known:
        _known[key] = language.imports(path, view.text(path))
    return _known[key]
