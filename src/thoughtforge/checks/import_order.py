"""Imports stand in blocks (standard library, others, own), each sorted."""

from __future__ import annotations

from typing import Any

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "style"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "minor"
DESCRIPTION = "Imports are grouped and sorted."
HINT = "Standard library first, then other packages, then the project's own; a blank line between, each group sorted."
ACTIVE = True
RUFF = ("I001",)
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """Which packages are the project's own where that cannot be seen from its folders."""

    own: tuple[str, ...] = ()
    """Names of top-level packages that count as the project's own."""


def ruff_settings(options: Options) -> dict[str, Any]:
    """The project's own packages."""
    return {"lint": {"isort": {"known-first-party": list(options.own)}}} if options.own else {}


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every block of imports that is not in order."""
    said = [each for path in scene.paths if path.endswith(ENDINGS) for each in await scene.ruff(path)]
    # one anchor for a file's blocks: another import in a block that was never sorted is not a new finding
    return [
        Found(each.path, each.line, "these imports are not grouped and sorted", rule=each.code, anchor="imports")
        for each in said
        if each.code in RUFF
    ]
