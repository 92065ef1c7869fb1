"""analyze_complexity measures changed product files, or the ones named."""

from sessions import in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.tools import analyze_complexity

BRANCHES = b"def f(x):\n    if x:\n        return 1\n    return 2\n\n\ndef g():\n    return 1\n"


def analyzed(edits: dict[str, bytes | None], **params: list[str]) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await analyze_complexity.use(params, context)

    return in_session(act)


def test_changed_product_files_are_measured_the_highest_first():
    edits = {"shelf/new.py": BRANCHES, "tests/test_new.py": BRANCHES, "notes.txt": b"x\n", "shelf/old.py": None}
    summary = "2 functions measured in 2 files; the highest is 2 (f)"
    assert analyzed(edits) == ToolResult(
        True,
        summary,
        f"{summary}\n   2  shelf/new.py:1 f\n   1  shelf/new.py:7 g\n"
        "not measured: notes.txt: complexity is measured for Python only",
    )


def test_files_can_be_named():
    assert analyzed({}, paths=["shelf/books.py"]).output.splitlines()[1:] == ["   1  shelf/books.py:4 count"]


def test_a_file_that_does_not_parse_is_said_and_not_counted_as_simple():
    result = analyzed({"shelf/new.py": b"def (\n"})
    assert "0 functions measured in 1 file" in result.summary
    assert "not measured: shelf/new.py:1: it does not parse" in result.output
