"""Programs log; only command lines and scripts print."""

from __future__ import annotations

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "style"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "minor"
DESCRIPTION = "No print in library code: whoever uses it decides where messages go."
HINT = "Use logging.getLogger(__name__), or return the text and let the command line print it."
ACTIVE = True
RUFF = ("T201", "T203")
ENDINGS: tuple[str, ...] = (".py",)


class Options(Value):
    """Where printing is the point."""

    allowed: tuple[str, ...] = (
        "**/__main__.py",
        "**/cli.py",
        "**/cli/**",
        "**/conftest.py",
        "bench/**",
        "benchmarks/**",
        "docs/**",
        "examples/**",
        "noxfile.py",
        "scripts/**",
        "setup.py",
        "tasks.py",
        "tools/**",
    )
    """Path patterns of scripts and command lines."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every print outside the places for it."""
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.allowed):
            said = [each for each in await scene.ruff(path) if each.code in RUFF]
            found += [Found(path, each.line, "print in library code", rule=each.code) for each in said]
    return found
