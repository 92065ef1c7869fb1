"""analyze_coverage names the changed lines that no test runs."""

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.tools import analyze_coverage

MORE = (
    str(SHELF["shelf/books.py"])
    + '\n\ndef first(books: list[str]) -> str:\n    """One."""\n'
    + '    if not books:\n        name = "none"\n        return name\n'
    + "    return books[0]\n"
)
TEST = b"from shelf.books import first\n\n\ndef test_first():\n    assert first(['a']) == 'a'\n"


def analyzed(edits: dict[str, bytes], **params: list[str]) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await analyze_coverage.use(params, context)

    return in_session(act)


def test_changed_lines_that_do_not_run_are_named():
    result = analyzed({"shelf/books.py": MORE.encode(), "tests/test_first.py": TEST, "notes.txt": b"x\n"})
    assert result.output.splitlines()[1:] == [
        "shelf/books.py: lines 12–13 do not run",
        "notes.txt: not measured: coverage in this language is not supported",
    ]
    assert result.summary.startswith("coverage: 60 % of 5 changed lines run; tests: 3 passed, 0 failed")


def test_some_tests_alone_can_be_measured():
    result = analyzed({"shelf/books.py": MORE.encode()}, tests=["tests/test_report.py"])
    assert result.output.splitlines()[1:] == ["shelf/books.py: lines 11–14 do not run"]


def test_a_broken_run_measures_nothing():
    ending = b"import os\n\n\ndef test_it():\n    os._exit(0)\n"
    result = analyzed({"shelf/books.py": MORE.encode(), "tests/test_exit.py": ending})
    assert (result.ok, "coverage" in result.output) == (False, False)


def test_without_a_changed_product_file_there_is_nothing_to_measure():
    assert analyzed({"tests/test_first.py": b""}) == ToolResult(
        True, *["coverage: no file was changed in a language whose coverage is measured"] * 2
    )


def test_numbers_are_written_as_ranges():
    assert analyze_coverage.ranges({7, 1, 3, 2, 9, 10}) == "1–3, 7, 9–10"
