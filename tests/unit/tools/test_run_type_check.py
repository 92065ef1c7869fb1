"""run_type_check tells new type errors, also in files that were not changed."""

from sessions import in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.tools import run_type_check


def checked(edits: dict[str, bytes | None]) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await run_type_check.use({}, context)

    return in_session(act)


def test_a_new_error_is_told_and_nothing_but_types():
    result = checked({"shelf/new.py": b"import os\n\nprint(1)\nNAME: str = 2\n"})
    assert result.summary == "types: 1 new finding in 1 file, 1 there before"
    assert result.output.splitlines()[1].split()[2:5] == ["major", "shelf/new.py:4", "types:"]


def test_an_error_in_a_file_that_uses_the_changed_one_is_told():
    result = checked({"shelf/books.py": b'"""Books."""\n\n\ndef count() -> int:\n    """None."""\n    return 0\n'})
    assert "shelf/report.py:" in result.output


def test_an_error_in_a_file_that_used_a_deleted_one_is_told():
    assert "shelf/report.py:3" in checked({"shelf/books.py": None}).output


def test_without_a_change_there_is_nothing_to_say():
    assert checked({}) == ToolResult(True, *["types: no file was changed"] * 2)
