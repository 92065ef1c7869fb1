"""The type checker finds nothing wrong."""

from __future__ import annotations

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "types"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "No type errors; warnings of the type checker do not count."
HINT = "Correct the call or the annotation; a cast or an ignore comment hides the error and counts as one."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py", ".pyi")


class Options(Value):
    """What is left out."""

    exclude: tuple[str, ...] = ()
    """Path patterns of files nobody types."""
    ignore: tuple[str, ...] = ()
    """Rules of the type checker that do not count, such as `unresolved-import`."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every type error."""
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.exclude):
            said = [each for each in await scene.types(path) if each.code not in options.ignore]
            found += [Found(each.path, each.line, each.message, rule=each.code) for each in said]
    return found
