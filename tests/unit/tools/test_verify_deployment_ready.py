"""verify_deployment_ready says ready only when suite, gate and files agree."""

from sessions import SHELF, in_session
from thoughtforge.code import session as sessions
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.tools import verify_deployment_ready

GOOD = b'"""New."""\n\n\ndef two() -> int:\n    """Two."""\n    return 2\n'


def verified(edits: dict[str, bytes | None], *, behind: str = "") -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        session = context.the_session()
        report = await session.test(session.workspace.base)
        session.baseline = sessions.of(report, report)
        await context.write([Edit(path, data) for path, data in edits.items()])
        if behind:
            (session.workspace.folder / behind).write_text("written past the record")
        return await verify_deployment_ready.use({}, context)

    return in_session(act)


def test_a_good_change_is_ready():
    result = verified({"shelf/new.py": GOOD})
    assert (result.ok, result.summary.startswith("ready: 2 tests, ")) == (True, True)


def test_everything_that_is_not_ready_is_listed():
    result = verified(
        {
            "shelf/books.py": str(SHELF["shelf/books.py"]).replace("len(books)", "0").encode(),
            "shelf/new.py": b"print(1)\n",
            "tests/test_new.py": b"def test_new():\n    assert 0\n",
            "tests/test_report.py": None,
        },
        behind="README.md",
    )
    assert result.summary.startswith("not ready: ")
    for problem in (
        "tests/test_books.py::test_count passed before and now failed",
        "tests/test_report.py::test_told is gone",
        "tests/test_new.py::test_new fails: ",
        "no-print-statements",
        "README.md was changed without the tools",
    ):
        assert problem in result.output


def test_a_broken_run_is_not_ready():
    result = verified({"tests/test_exit.py": b"import os\n\nos._exit(0)\n"})
    assert "the run says nothing" in result.output
