"""What a Python runner puts into the box: the files that run there, where modules come from, how it is started."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from thoughtforge import testing
from thoughtforge.kernel.errors import UserError
from thoughtforge.languages.python.pytest_options import ini_of
from thoughtforge.testing.report import RunnerCommand, SuiteRun

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
        "after": [str(place) for place in job.environment.python_path] + ["{run}/metadata"],
        "ids": list(job.ids),
        "coverage": [path for path in job.coverage if path.endswith(".py")],
        "collect_only": job.collect_only,
        **ask,
    }
    return RunnerCommand(
        argv=(str(python), "-E", "-s", "-B", "-c", START.format(module=f"{PACKAGE}.{module}"), "{run}"),
        env={
            "PYTHONPATH": os.pathsep.join([*places, "{run}/metadata"]),
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


def _metadata(config: Mapping[str, str]) -> Mapping[str, str]:
    """What installers write about the project, for the many that ask for their own version. It brings no code."""
    project = _pyproject(config).get("project", {})
    name, version = project.get("name"), project.get("version", "0.0.0")
    if not isinstance(name, str):
        return {}
    folder = f"metadata/{name.replace('-', '_')}-{version}.dist-info"
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    points = "".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in table.items())
        for group, table in groups.items()
    )
    return {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{folder}/entry_points.txt": points,
    }


def _pyproject(config: Mapping[str, str]) -> Mapping[str, Any]:
    try:
        return tomllib.loads(config.get("pyproject.toml", ""))
    except tomllib.TOMLDecodeError:
        return {}


def import_places(job: SuiteRun) -> tuple[Path, ...]:
    """The tree's folders on the import path: what the base's configuration names, `src`, the root."""
    folders = _package(frozenset(job.config.items())).folders
    return tuple(job.root / name if name else job.root for name in folders if (job.root / name).is_dir())


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
