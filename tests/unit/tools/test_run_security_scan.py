"""run_security_scan tells new security findings alone, and says when a check is broken."""

from sessions import in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.tools import run_security_scan


def scanned(edits: dict[str, bytes]) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await run_security_scan.use({}, context)

    return in_session(act)


def test_a_new_problem_is_told_and_nothing_but_security():
    result = scanned({"shelf/new.py": b"def run(text):\n    print(text)\n    return eval(text)\n"})
    assert result.summary == "security: 1 new finding in 1 file, 0 there before"
    assert "shelf/new.py:3 input-validation" in result.output


def test_harmless_code_has_no_finding():
    assert scanned({"shelf/new.py": b"def run(text):\n    return text\n"}).summary == (
        "security: 0 new findings in 1 file, 0 there before"
    )
