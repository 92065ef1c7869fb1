"""Names follow PEP 8: classes in CapWords, functions and variables in lower_case, constants in UPPER_CASE."""

from __future__ import annotations

import re
from typing import Any

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "style"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "minor"
DESCRIPTION = "Names of classes, functions, arguments, variables and modules follow PEP 8."
HINT = "Rename it and every use of it: CapWords for classes, lower_case for the rest, UPPER_CASE for constants."
ACTIVE = True
RUFF = ("N",)
ENDINGS: tuple[str, ...] = (".py",)

NAMING = re.compile(r"N\d+")


class Options(Value):
    """Names the project writes differently on purpose."""

    allowed: tuple[str, ...] = ()
    """Names or patterns such as `setUp` or `visit_*` that are fine as they are, besides those of unittest."""
    ignore: tuple[str, ...] = ()
    """Ruff's codes that do not count, such as N818 where errors are not called errors."""


def ruff_settings(options: Options) -> dict[str, Any]:
    """The allowed names, added to those ruff knows."""
    return {"lint": {"pep8-naming": {"extend-ignore-names": list(options.allowed)}}} if options.allowed else {}


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every name ruff's naming rules object to."""
    said = [each for path in scene.paths if path.endswith(ENDINGS) for each in await scene.ruff(path)]
    ours = [each for each in said if NAMING.fullmatch(each.code) and each.code not in options.ignore]
    return [Found(each.path, each.line, each.message, rule=each.code) for each in ours]
