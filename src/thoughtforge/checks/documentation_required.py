"""Public classes, functions and methods say what they are in a docstring."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Diagnostic, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "style"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "Every public class, function and method has a docstring."
HINT = "Add a docstring: what it does, what it returns, what it raises; one line is enough when that says it."
ACTIVE = True
RUFF = ("D100", "D101", "D102", "D103", "D104", "D106")
ENDINGS: tuple[str, ...] = (".py",)

THINGS = {"D100": "module", "D101": "class", "D102": "method", "D103": "function", "D104": "package", "D106": "class"}
NAME = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)")


class Options(Value):
    """What needs a docstring besides classes, functions and methods, and what does without."""

    modules: bool = False
    """Whether files and packages need one too; an empty package never does."""
    allowed: tuple[str, ...] = ()
    """Names or patterns such as `pytest_*` of things that are explained elsewhere, for example by what calls them."""
    exclude: tuple[str, ...] = ()
    """Path patterns of files in which names say everything."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every public thing without a docstring, by its name."""
    rules = RUFF if options.modules else tuple(code for code in RUFF if code not in ("D100", "D104"))
    found = []
    for path in scene.paths:
        text = scene.text(path)
        if path.endswith(ENDINGS) and text.strip() and not any_matches(path, options.exclude):
            said = [each for each in await scene.ruff(path) if each.code in rules]
            lines = text.split("\n") if said else []
            named = [(each, _name(each, lines)) for each in said]
            found += [_found(each, name) for each, name in named if not _fits(name, options.allowed)]
    return found


def _name(said: Diagnostic, lines: list[str]) -> str:
    """What the thing is called; empty for a file or a package."""
    text = lines[said.line - 1] if said.line <= len(lines) else ""
    named = NAME.match(text) if THINGS[said.code] not in ("module", "package") else None
    return named[1] if named else ""


def _fits(name: str, patterns: tuple[str, ...]) -> bool:
    return bool(name) and any(fnmatchcase(name, pattern) for pattern in patterns)


def _found(said: Diagnostic, name: str) -> Found:
    thing = THINGS[said.code]
    message = f"the {thing} {name} has no docstring" if name else f"the {thing} has no docstring"
    # the name, not the line: a changed signature does not make an old gap a new one
    return Found(said.path, said.line, message, rule=said.code, anchor=f"{thing} {name or said.path}")
