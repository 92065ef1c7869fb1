"""What a class works with is handed to it; it is made in a few named places only."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "pattern"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "Services, repositories and clients are made where the program is put together, not where they are used."
HINT = "Take it as an argument and make it where the program is put together."
ACTIVE = False
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py",)

CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")


class Options(Value):
    """What is handed in, and where it may be made."""

    classes: tuple[str, ...] = ("*Client", "*Gateway", "*Repository", "*Service")
    """Names or patterns of classes that are handed in."""
    allowed: tuple[str, ...] = (
        *("**/__main__.py", "**/app.py", "**/assembly.py", "**/conftest.py", "**/container*.py", "**/factories/**"),
        *("**/factory.py", "**/main.py", "tests/**"),
    )
    """Path patterns of the places where they may be made."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every place where such a class is made that is none of the places for it."""
    paths = [path for path in scene.paths if path.endswith(ENDINGS) and not any_matches(path, options.allowed)]
    return [found for path in paths for found in _made(scene, path, options.classes)]


def _made(scene: Scene, path: str, classes: tuple[str, ...]) -> Iterator[Found]:
    called = set(CALLED.findall(scene.text(path)))
    names = {name for name in called if any(fnmatchcase(name, pattern) for pattern in classes)}
    module = scene.module(path) if names else None  # the tree is only walked where it can be worth it
    for node in ast.walk(module) if module else ():
        if isinstance(node, ast.Call) and _name(node.func) in names:
            yield Found(path, node.lineno, f"{_name(node.func)} is made where it is used")


def _name(node: ast.expr) -> str:
    """The last part of what is called."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
