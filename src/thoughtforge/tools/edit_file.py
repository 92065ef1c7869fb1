"""Changes one file of the repository: one exact text for another, or a unified diff."""

from __future__ import annotations

from typing import Any

from thoughtforge.code.appending import ALONE, addition_problems
from thoughtforge.code.patch import apply
from thoughtforge.code.tool_context import (
    Content,
    Edit,
    ToolContext,
    ToolResult,
    check_size,
    counted,
    difference,
    line_count,
    read_content,
    replace,
)
from thoughtforge.kernel.errors import UserError

DESCRIPTION = "Change one file: replace old by new (exact; once unless all: true), or apply a unified diff (patch)."
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        "old": {"type": "string", "minLength": 1, "description": "text as it is in the file, without line numbers"},
        "new": {"type": "string"},
        "all": {"type": "boolean", "description": "replace every place"},
        "patch": {"type": "string", "minLength": 1, "description": "hunks for this file alone"},
    },
    "required": ["path"],
    "additionalProperties": False,
}
WRITES = True


async def use(params: dict[str, Any], context: ToolContext) -> ToolResult:
    path = params["path"]
    _one_way(params)
    content = await read_content(context, path)
    if "patch" in params:
        text = apply(params["patch"], content.text, path=path)
    else:
        text = replace(content.text, params["old"], new=params["new"], path=path, every=params.get("all", False))
    if text == content.text:
        raise UserError(f"the patch changes nothing in {path}", do="Put the new lines after a +.")
    if context.only_own and not context.own(content.path):
        await _only_added(context, content, text)
    data = content.encoded(text)
    check_size(data, path, context=context)
    verdict = await context.write([Edit(content.path, data)])
    summary = f"edited {path} ({difference(content.text, text)})"
    return ToolResult(True, summary, f"{summary}\n{verdict}")


async def _only_added(context: ToolContext, content: Content, text: str) -> None:
    """Of a file that was there before, only what this stage added at its end may change."""
    before = content.decoded(await context.before(content.path))
    if not text.startswith(before):
        old = counted(line_count(before), "line")
        raise UserError(
            f"{content.path} was there before this stage; its first {old} stay as they are",
            do="Edit only the lines this stage added below them, add some with append_tests, or create a file.",
        )
    if problems := await addition_problems(context.the_session(), content.path, before, text):
        raise UserError(f"{problems[0]}", do=ALONE, details=tuple(problems[1:]))


def _one_way(params: dict[str, Any]) -> None:
    given = {"old", "new", "all", "patch"} & set(params)
    if "patch" in given and len(given) > 1:
        raise UserError("give either old and new, or patch, not both", do="Leave one of the two out.")
    if "patch" not in given and not {"old", "new"} <= given:
        missing = " and ".join(sorted({"old", "new"} - given))
        raise UserError(f"{missing} is missing", do="Give old and new, or a patch.")
