"""run_conformance_check tells new findings of every kind but types, and counts the rest."""

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import run_conformance_check

OLD: dict[str, str | bytes] = SHELF | {"shelf/loud.py": '"""Loud."""\n\nprint("old")\n'}


def checked(edits: dict[str, bytes | None], paths: list[str] | None = None) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await run_conformance_check.use({} if paths is None else {"paths": paths}, context)

    return in_session(act, OLD)


def test_a_new_finding_is_told_with_id_severity_place_and_hint_and_an_old_one_is_counted():
    result = checked({"shelf/loud.py": b'"""Loud."""\n\nNAME: str = 2\nprint("old")\nprint("new")\n'})
    assert result.summary == "conformance: 1 new finding in 1 file, 1 there before"
    found = result.output.splitlines()[1]
    assert found.split()[3:5] == ["shelf/loud.py:5", "no-print-statements:"]
    assert found.startswith("- V-")
    assert " → " in found


def test_quality_is_looked_at():
    many = "".join(f"    if x == {number}:\n        return {number}\n" for number in range(12))
    text = f'"""Many."""\n\n\ndef many(x: int) -> int:\n    """Say."""\n{many}    return 0\n'
    assert "max-complexity" in checked({"shelf/many.py": text.encode()}).output


def test_a_syntax_error_is_told_and_that_nothing_else_was_looked_at():
    result = checked({"shelf/loud.py": b"def (\n"})
    assert result.summary.startswith("conformance: 1 new finding in 1 file")
    assert result.output.splitlines()[-1] == "nothing else was looked at: put the syntax right first"


def test_without_a_change_there_is_nothing_to_say():
    assert checked({}) == ToolResult(True, *["conformance: no file was changed"] * 2)


def test_files_can_be_named():
    result = checked({"shelf/new.py": b"print(1)\n"}, ["shelf/books.py"])
    assert result.summary == "conformance: 0 new findings in 1 file, 0 there before"


@pytest.mark.parametrize("path", [".env", "none.py", "../x"])
def test_a_file_that_is_hidden_or_not_there_is_a_mistake(path):
    with pytest.raises(UserError, match="there is no file"):
        checked({}, [path])
