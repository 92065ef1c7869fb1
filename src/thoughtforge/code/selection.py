"""The tests an agent names: files and ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from thoughtforge.code.tool_context import ToolContext
from thoughtforge.kernel.errors import UserError


class Selection(NamedTuple):
    """What is to run; all tests when both are empty."""

    ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def named_tests(description: str, **more: Any) -> dict[str, Any]:
    """The parameters of a tool that runs all tests, or those named."""
    names = {"type": "array", "items": {"type": "string", "minLength": 1, "maxLength": 1000}, **more, "maxItems": 100}
    tests = {**names, "description": description}
    return {"type": "object", "properties": {"tests": tests}, "additionalProperties": False}


def select(context: ToolContext, named: Sequence[str]) -> Selection:
    """Ids when only ids are named, else whole files; a file that is not there or is no test is a UserError."""
    known = context.tree.composed
    is_test = context.the_session().runner.is_test
    files = tuple(dict.fromkeys(name.partition("::")[0].removeprefix("./") for name in named))
    strange = [path for path in files if path not in known and not any(other.startswith(f"{path}/") for other in known)]
    if strange:
        raise UserError(
            f"there is no test file {', '.join(strange)}",
            do="Name files or ids as run_tests tells them, from the root.",
        )
    foreign = [path for path in files if path in known and not is_test(path)]
    if foreign:
        raise UserError(
            f"{', '.join(foreign)} is no test file", do="Name test files; product code is not run by itself."
        )
    if named and all("::" in name for name in named):
        return Selection(ids=tuple(name.removeprefix("./") for name in named))
    return Selection(files=files)
