"""A repository's own Python packages, found from the paths of its files; nothing is imported to find them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import NamedTuple

REQUIRES = re.compile(r"requires-python\s*=\s*[\"'][^\"']*?>=?\s*3\.(\d+)")
OLDEST, NEWEST = 8, 14


class Package(NamedTuple):
    """A package at the top: its import name and its folder, from the root."""

    name: str
    folder: str


def packages(paths: Iterable[str]) -> tuple[Package, ...]:
    """The packages below `src`, or the topmost folders with an `__init__.py`; of equal names the shallowest counts."""
    everything = {path for path in paths if path.endswith(".py")}
    found: dict[str, Package] = {}
    for path in sorted(everything, key=lambda each: (each.count("/"), each)):
        package = _package(PurePosixPath(path).parts[:-1], everything)
        if package is not None and all(part.isidentifier() for part in package.name.split(".")):
            found.setdefault(package.name, package)
    return tuple(sorted(found.values()))


def roots(paths: Iterable[str]) -> tuple[str, ...]:
    """The folders imports begin at, from the root of the repository; the root itself is `.`."""
    above = {str(PurePosixPath(package.folder).parent) for package in packages(paths)}
    return (".", *sorted(above - {"."}))


def oldest_python(pyproject: str) -> str:
    """The oldest Python a project says it runs on, such as `3.11`; empty when it does not say."""
    found = REQUIRES.search(pyproject)
    return f"3.{min(max(int(found[1]), OLDEST), NEWEST)}" if found else ""


def _package(folders: tuple[str, ...], everything: set[str]) -> Package | None:
    if "src" in folders[:-1] and f"{'/'.join(folders[: folders.index('src') + 1])}/__init__.py" not in everything:
        at = folders.index("src") + 1
        return Package(folders[at], "/".join(folders[: at + 1]))
    top = None
    for depth in range(len(folders), 0, -1):
        if "/".join((*folders[:depth], "__init__.py")) not in everything:
            break
        top = depth
    return Package(folders[top - 1], "/".join(folders[:top])) if top else None
