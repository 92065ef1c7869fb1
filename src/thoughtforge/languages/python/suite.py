"""A Python test suite: its files and tests by name, what they import, and how a runner starts them in the sandbox."""

from __future__ import annotations

import ast
import configparser
import json
import os
import re
import tomllib
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from thoughtforge import testing
from thoughtforge.gate.mirror import packages
from thoughtforge.kernel.errors import UserError
from thoughtforge.languages.python.pytest_options import ini_of
from thoughtforge.testing.imports import table_in
from thoughtforge.testing.language import FileImports
from thoughtforge.testing.report import Environment, RunnerCommand, SuiteRun

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


INSIDE = Path(testing.__file__).parent / "inside"
PACKAGE = "thoughtforge_inside"
"""Their package inside the box, where the engine's own is not."""
START = "import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; from {module} import main; main(sys.argv[1])"


def python_command(job: SuiteRun, module: str, *, ask: Mapping[str, Any], files: Mapping[str, str]) -> RunnerCommand:
    """How one of the files inside is started. It ignores PYTHON* itself; what its children get is only ours."""
    python = job.environment.python
    if python is None:
        raise UserError("the environment has no Python", do="Name the interpreter as `setup.python` in config.yaml.")
    places = [str(place) for place in import_places(job)]
    given = {
        "root": str(job.root),
        "places": places,
        "after": [str(place) for place in job.environment.python_path] + [f"{{run}}/{METADATA}"],
        "ids": list(job.ids),
        "coverage": [path for path in job.coverage if path.endswith(".py")],
        "collect_only": job.collect_only,
        **ask,
    }
    return RunnerCommand(
        argv=(str(python), "-E", "-s", "-B", "-c", START.format(module=f"{PACKAGE}.{module}"), "{run}"),
        env={
            "PYTHONPATH": os.pathsep.join([*places, f"{{run}}/{METADATA}"]),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": "0",
        },
        files={**_inside(), **_package(frozenset(job.config.items())).metadata, "ask.json": json.dumps(given), **files},
    )


@cache
def _inside() -> Mapping[str, str]:
    return {f"{PACKAGE}/{path.name}": path.read_text(encoding="utf-8") for path in sorted(INSIDE.glob("*.py"))}


class PackageSettings(NamedTuple):
    """What the base's configuration says about the project as a package."""

    folders: tuple[str, ...]
    """On the import path, in this order, as far as they are there."""
    metadata: Mapping[str, str]


@lru_cache(maxsize=8)  # the same configuration run after run
def _package(config: frozenset[tuple[str, str]]) -> PackageSettings:
    texts = dict(config)
    named = [*_pytest_path(texts), *_packaging(texts), "src", ""]
    inside = [name for name in dict.fromkeys(named) if not PurePosixPath(name).is_absolute() and ".." not in name]
    return PackageSettings(tuple(inside), _metadata(texts))


METADATA = "metadata"


def _metadata(config: Mapping[str, str]) -> Mapping[str, str]:
    """What installers write about the project, for the many that ask for their own version. It brings no code."""
    data = _pyproject(config)
    places = (table_in(data, "project"), table_in(data, "tool", "poetry"), _setup_cfg(config))
    project = next((place for place in places if isinstance(place.get("name"), str)), None)
    if project is None:
        return {}
    name, version = project["name"], project.get("version", "0.0.0")
    folder = f"{METADATA}/{name.replace('-', '_')}-{version}.dist-info"
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    points = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in table.items())
        for group, table in groups.items()
    )
    return {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{folder}/entry_points.txt": points,
    }


def _setup_cfg(config: Mapping[str, str]) -> Mapping[str, Any]:
    """Name and version as setup.cfg writes them; a version that is computed is unknown."""
    parsed = configparser.ConfigParser(interpolation=None)
    try:
        parsed.read_string(config.get("setup.cfg", ""))
    except configparser.Error:
        return {}
    told = dict(parsed["metadata"]) if parsed.has_section("metadata") else {}
    return {key: value for key, value in told.items() if key in ("name", "version") and ":" not in value}


def _pyproject(config: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        return tomllib.loads(config.get("pyproject.toml", ""))
    except tomllib.TOMLDecodeError:
        return {}


def import_places(job: SuiteRun) -> tuple[Path, ...]:
    """The tree's folders on the import path: what the base's configuration names, `src`, the root."""
    folders = _package(frozenset(job.config.items())).folders
    return tuple(job.root / name if name else job.root for name in folders if (job.root / name).is_dir())


def finding(environment: Environment, config: Mapping[str, str]) -> Mapping[str, str]:
    """The same folders, from the root, and after them our own test tools where the dependencies have none."""
    folders = [folder or "." for folder in _package(frozenset(config.items())).folders]
    return {"PYTHONPATH": os.pathsep.join([*folders, *map(str, environment.python_path)])}


def metadata(job: SuiteRun) -> Mapping[str, str]:
    """What installers write about the project, in a folder of their own: name → text."""
    files = _package(frozenset(job.config.items())).metadata
    return {name.removeprefix(f"{METADATA}/"): text for name, text in files.items()}


def _pytest_path(config: Mapping[str, str]) -> list[str]:
    value = ini_of(config).get("pythonpath", "")
    return [str(PurePosixPath(part)) if part != "." else "" for part in value.split()]


def _packaging(config: Mapping[str, str]) -> Iterator[str]:
    """Where setuptools and poetry are told the packages are."""
    tool = _pyproject(config).get("tool", {})
    setuptools = tool.get("setuptools", {})
    packages = setuptools.get("packages", {})
    where = packages.get("find", {}).get("where", []) if isinstance(packages, dict) else []
    yield from (name for name in (*where, setuptools.get("package-dir", {}).get("")) if isinstance(name, str))
    listed = tool.get("poetry", {}).get("packages", [])
    yield from (item["from"] for item in listed if isinstance(item, dict) and isinstance(item.get("from"), str))
