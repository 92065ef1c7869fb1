"""The type checker finds nothing wrong."""

from __future__ import annotations

import ast

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
IN_TESTS = f"{HINT} A call that must raise TypeError goes below `with pytest.raises(TypeError):`."
RAISING = {"self": {"assertRaises", "assertRaisesRegex"}, "pytest": {"raises"}}
"""What expects an error: of a test case of unittest, of pytest."""


class Options(Value):
    """What is left out."""

    exclude: tuple[str, ...] = ()
    """Path patterns of files without type annotations."""
    ignore: tuple[str, ...] = ()
    """Rules of the type checker that do not count, such as `unresolved-import`."""


async def run(context: CheckContext, options: Options) -> list[Violation]:
    """Every type error, but where a test makes one on purpose and expects what comes of it."""
    found = []
    for path in context.paths:
        if path.endswith(ENDINGS) and not any_matches(path, options.exclude):
            said = [each for each in await context.types(path) if each.code not in options.ignore]
            is_test = bool(said) and context.is_test(path)
            meant = _meant(context.module(path)) if is_test else frozenset()
            hint = IN_TESTS if is_test else ""
            left = (each for each in said if each.line not in meant)
            found += [Violation(each.path, each.line, each.message, rule=each.code, hint=hint) for each in left]
    return found


def _meant(module: ast.Module | None) -> frozenset[int]:
    """The lines of which a test says that they raise TypeError; the test fails when they do not."""
    blocks = (node for node in ast.walk(module) if isinstance(node, ast.With)) if module is not None else ()
    expecting = (node for node in blocks if any(_expects(item.context_expr) for item in node.items))
    return frozenset(
        line
        for node in expecting
        for line in range(node.body[0].lineno, (node.body[-1].end_lineno or node.body[-1].lineno) + 1)
    )


def _expects(call: ast.expr) -> bool:
    """Whether it is `pytest.raises(TypeError)` or `self.assertRaises(TypeError)`, also with a text to match."""
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return False
    owner, error = call.func.value, call.args[0]
    known = RAISING.get(owner.id, set()) if isinstance(owner, ast.Name) else set()
    return call.func.attr in known and isinstance(error, ast.Name) and error.id == "TypeError"
