"""No function has more independent ways through it than can be tested."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Diagnostic, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "quality"
MOMENT: Moment = "stage_end"
SEVERITY: Severity = "major"
DESCRIPTION = "The cyclomatic complexity of every function is within the limit."
HINT = "Give a branch or a loop body a function of its own, or return early instead of nesting."
ACTIVE = True
RUFF = ("C901",)
ENDINGS: tuple[str, ...] = (".py",)

SAID = re.compile(r"`(?P<name>[^`]+)`.*\((?P<now>\d+) > (?P<limit>\d+)\)")


class Options(Value):
    """The limit."""

    limit: int = Field(default=10, ge=1)
    """Cyclomatic complexity: one more than the number of decisions in a function."""


def ruff_settings(options: Options) -> dict[str, Any]:
    """The limit; ruff reports what is above it."""
    return {"lint": {"mccabe": {"max-complexity": options.limit}}}


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every function above the limit."""
    said = [each for path in scene.paths if path.endswith(ENDINGS) for each in await scene.ruff(path)]
    return [_found(each) for each in said if each.code in RUFF]


def _found(said: Diagnostic) -> Found:
    read = SAID.search(said.message)
    if read is None:
        return Found(said.path, said.line, f"cyclomatic complexity: {said.message}", rule=said.code)
    message = f"{read['name']} has a cyclomatic complexity of {read['now']}; the limit is {read['limit']}"
    return Found(said.path, said.line, message, rule=said.code, anchor=read["name"])
