"""The type checker finds nothing wrong."""

from __future__ import annotations

from thoughtforge.gate.context import Category, CheckContext, Moment
from thoughtforge.gate.findings import Severity, Violation
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.patterns import any_matches

CATEGORY: Category = "types"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "No type errors; warnings of the type checker do not count."
HINT = "Correct the call or the annotation; a cast or an ignore comment counts as an error too."
ACTIVE = True
RUFF: tuple[str, ...] = ()
ENDINGS: tuple[str, ...] = (".py", ".pyi")


class Options(Value):
    """What is left out."""

    exclude: tuple[str, ...] = ()
    """Path patterns of files without type annotations."""
    ignore: tuple[str, ...] = ()
    """Rules of the type checker that do not count, such as `unresolved-import`."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every type error."""
    found = []
    for path in context.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.exclude):
            said = [each for each in await context.types(path) if each.code not in options.ignore]
            found += [Violation(each.path, each.line, each.message, rule=each.code) for each in said]
    return found
