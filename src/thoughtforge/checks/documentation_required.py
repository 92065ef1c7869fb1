"""Public classes, functions and methods say what they are in a docstring."""

from __future__ import annotations

import re

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Diagnostic, Moment, Scene
from thoughtforge.kernel.model import Value

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
    """What needs a docstring besides classes, functions and methods."""

    modules: bool = False
    """Whether files and packages need one too."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every public thing without a docstring, by its name."""
    rules = RUFF if options.modules else tuple(code for code in RUFF if code not in ("D100", "D104"))
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS):
            said = [each for each in await scene.ruff(path) if each.code in rules]
            lines = scene.text(path).split("\n") if said else []
            found += [_found(each, lines) for each in said]
    return found


def _found(said: Diagnostic, lines: list[str]) -> Found:
    thing = THINGS[said.code]
    text = lines[said.line - 1] if said.line <= len(lines) else ""
    named = NAME.match(text) if thing not in ("module", "package") else None
    message = f"the {thing} {named[1]} has no docstring" if named else f"the {thing} has no docstring"
    # the name, not the line: a changed signature does not make an old gap a new one
    return Found(said.path, said.line, message, rule=said.code, anchor=f"{thing} {named[1] if named else said.path}")
