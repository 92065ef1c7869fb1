"""What comes from outside is never run, unpickled or handed to a shell."""

from __future__ import annotations

from thoughtforge.gate.finding import Found, Severity
from thoughtforge.gate.scene import Category, Moment, Scene
from thoughtforge.kernel.model import Value
from thoughtforge.workspaces.globs import any_matches

CATEGORY: Category = "security"
MOMENT: Moment = "every_edit"
SEVERITY: Severity = "critical"
DESCRIPTION = "No eval, exec, pickle, marshal, unsafe YAML or shell: whoever controls the text controls the program."
HINT = "Read it as data instead and check what you read."
ACTIVE = True
ENDINGS: tuple[str, ...] = (".py",)

HINTS = {
    "S102": "Replace exec by a function or a table of functions.",
    "S301": "Use json (or another format without code) for anything that crosses a process or a disk.",
    "S302": "Use json (or another format without code) for anything that crosses a process or a disk.",
    "S307": "Use ast.literal_eval for literals, json.loads for data, or a table of allowed operations.",
    "S506": "Use yaml.safe_load.",
    "S602": "Pass a list of arguments and leave shell=True out.",
    "S604": "Pass a list of arguments and leave shell=True out.",
    "S605": "Use subprocess.run with a list of arguments.",
    "S612": "Do not accept logging configuration over a socket.",
}
RUFF = tuple(HINTS)


class Options(Value):
    """Where such a call is meant."""

    allowed: tuple[str, ...] = ()
    """Path patterns of files that may do it."""


async def look(scene: Scene, options: Options) -> list[Found]:
    """Every call through which text becomes code."""
    found = []
    for path in scene.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.allowed):
            said = [each for each in await scene.ruff(path) if each.code in RUFF]
            found += [Found(path, each.line, each.message, rule=each.code, hint=HINTS[each.code]) for each in said]
    return found
