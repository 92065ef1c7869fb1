"""No line is longer than people can read without scrolling."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "style"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "minor"
DESCRIPTION = "No line is longer than the limit."
HINT = "Break the line, or give a part of it a name of its own."
ACTIVE = True
RUFF = ("E501",)
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """The limit; the sorting of imports breaks its lines at the same place."""

    limit: int = Field(default=120, ge=40, le=320)
    """Characters in a line."""


def ruff_settings(options: Options) -> dict[str, Any]:
    """The limit, for this rule and for how imports are wrapped."""
    return {"line-length": options.limit}


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every line above the limit."""
    said = [each for path in scene.paths if path.endswith(ENDINGS) for each in await scene.ruff(path)]
    return [
        Found(each.path, each.line, each.message.replace("Line too", "this line is too"), rule=each.code)
        for each in said
        if each.code in RUFF
    ]
