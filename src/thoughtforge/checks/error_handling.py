"""Errors are caught where they are handled, never swallowed, and raised as something one can name."""

from __future__ import annotations

from typing import Any

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Diagnostic, Moment, Scene
from thoughtforge.kernel.model import Value

CATEGORY: Category = "pattern"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "major"
DESCRIPTION = "No bare or swallowing except, no broad one that neither logs nor raises again, no raise of Exception."
HINT = "Catch the class you can handle; let the rest go on upwards."
ACTIVE = False
ENDINGS: tuple[str, ...] = (".py",)

RULES = {
    "S110": ("swallowed", "this except hides the error: it does nothing"),
    "S112": ("swallowed", "this except hides the error: it only goes on with the loop"),
    "E722": ("bare", "this except catches everything, also KeyboardInterrupt and SystemExit"),
    "BLE001": ("broad", "this except catches every error and neither logs nor raises it again"),
    "TRY002": ("vague", "an error of a built-in class that nobody can catch without catching everything"),
}
"""Ruff's code → the option that governs it and what to say; of several for one line the first counts."""
RUFF = tuple(RULES)
HINTS = {
    "swallowed": "Handle it, log it, or let it go on upwards; contextlib.suppress(TheClass) says that it is meant.",
    "bare": "Name the class you can handle.",
    "broad": "Name the class you can handle, or raise again after clean-up.",
    "vague": "Raise a class of the project's own, or the built-in one that says it best, such as ValueError.",
}


class Options(Value):
    """Which of the rules hold."""

    swallowed: bool = True
    """`except …: pass` and `except …: continue` are findings."""
    swallowed_named: bool = False
    """Also for a named class such as KeyError, not only for broad ones."""
    bare: bool = True
    """`except:` is a finding."""
    broad: bool = True
    """`except Exception:` that neither logs nor raises is a finding."""
    vague: bool = True
    """`raise Exception(…)` is a finding."""


def ruff_settings(options: Options) -> dict[str, Any]:
    """Whether swallowing a named class counts."""
    return {"lint": {"flake8-bandit": {"check-typed-exception": options.swallowed_named}}}


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every place where an error is lost or cannot be told from others."""
    held = options.model_dump()
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS):
            said = [each for each in await scene.ruff(path) if each.code in RULES and held[RULES[each.code][0]]]
            found += [_found(each) for each in _one_a_line(said)]
    return found


def _one_a_line(said: list[Diagnostic]) -> list[Diagnostic]:
    """The most telling one of each line, in the order of the lines."""
    worst_last = sorted(said, key=lambda each: RUFF.index(each.code), reverse=True)
    return sorted({each.line: each for each in worst_last}.values(), key=lambda each: each.line)


def _found(said: Diagnostic) -> Found:
    option, message = RULES[said.code]
    return Found(said.path, said.line, message, rule=said.code, hint=HINTS[option])
