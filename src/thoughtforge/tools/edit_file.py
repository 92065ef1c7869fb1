"""Changes one file of the repository: exact texts for others, or a unified diff."""

from __future__ import annotations

from collections.abc import Sequence
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

DESCRIPTION = (
    "Change one file: old by new (exact; once unless all: true), several such edits, or a unified diff (patch)."
)
PLACE: dict[str, Any] = {
    "old": {"type": "string", "minLength": 1, "description": "text as it is in the file, without line numbers"},
    "new": {"type": "string"},
    "all": {"type": "boolean", "description": "replace every place"},
}
PARAMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "path from the root of the repository"},
        **PLACE,
        "edits": {
            "type": "array",
            "minItems": 1,
            "maxItems": 50,
            "description": "all of them or none, each on what the one before left",
            "items": {"type": "object", "properties": PLACE, "required": ["old", "new"], "additionalProperties": False},
        },
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
        text = _replaced(content.text, params.get("edits") or [params], path)
    if text == content.text:
        do = "Put the new lines after a +." if "patch" in params else "Leave out edits that undo each other."
        raise UserError(f"{'the patch changes' if 'patch' in params else 'the edits change'} nothing in {path}", do=do)
    if context.only_own and not context.own(content.path):
        await _only_added(context, content, text)
    data = content.encoded(text)
    check_size(data, path, context=context)
    verdict = await context.write([Edit(content.path, data)])
    summary = f"edited {path} ({difference(content.text, text)})"
    return ToolResult(True, summary, f"{summary}\n{verdict}")


def _replaced(text: str, edits: Sequence[dict[str, Any]], path: str) -> str:
    """The text after every edit in turn; the first that does not fit is a UserError, and nothing is changed."""
    for number, one in enumerate(edits, start=1):
        try:
            text = replace(text, one["old"], new=one["new"], path=path, every=one.get("all", False))
        except UserError as wrong:
            if len(edits) == 1:
                raise
            what = f"edit {number} of {len(edits)}: {wrong.what}; none of them was made"
            raise UserError(what, do=wrong.do, details=wrong.details) from wrong
    return text


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
    given = {"old", "new", "all", "patch", "edits"} & set(params)
    several = given & {"patch", "edits"}
    if several and len(given) > 1:
        other = sorted(several)[-1]
        raise UserError(f"give either old and new, or {other}, not both", do="Leave one of the two out.")
    if not several and not {"old", "new"} <= given:
        missing = " and ".join(sorted({"old", "new"} - given))
        raise UserError(f"{missing} is missing", do="Give old and new, edits, or a patch.")
