"""run_tests runs the real tests on the files as they are now and says no more than they said."""

import re

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import Edit, ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import run_tests


def ran(tests: list[str] | None = None, edits: dict[str, bytes] | None = None) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        if edits:
            await context.write([Edit(path, data) for path, data in edits.items()])
        return await run_tests.use({} if tests is None else {"tests": tests}, context)

    result = in_session(act)
    return result._replace(
        **{key: re.sub(r"\(\d+\.\d s\)", "(… s)", getattr(result, key)) for key in ("summary", "output")}
    )


def test_all_tests_run_when_none_is_named():
    assert ran() == ToolResult(True, *["2 passed, 0 failed (… s)"] * 2)


def test_a_failing_test_is_shown_with_its_place_and_error_after_an_edit():
    changed = {"shelf/report.py": str(SHELF["shelf/report.py"]).replace("} books", "} volumes").encode()}
    assert ran(edits=changed).output == (
        "1 passed, 1 failed (… s)\n"
        "- tests/test_report.py::test_told at tests/test_report.py:5: AssertionError:\n"
        "    assert '0 volumes' == '0 books'\n      \n      - 0 books\n      + 0 volumes"
    )


@pytest.mark.parametrize("named", ["tests/test_books.py", "tests/test_books.py::test_count", "./tests/test_books.py"])
def test_only_what_is_named_runs(named):
    assert ran([named]).summary == "1 passed, 0 failed (… s)"


def test_files_and_ids_can_be_named_together():
    assert ran(["tests/test_books.py", "tests/test_report.py::test_told"]).summary == "2 passed, 0 failed (… s)"


def test_a_file_that_cannot_be_read_is_said():
    result = ran(edits={"tests/test_new.py": b"import nothing_of_that_name\n"})
    assert result.summary == "2 passed, 0 failed, 1 file unreadable (… s)"
    assert "- cannot be read: tests/test_new.py:1: " in result.output


def test_a_run_that_ended_itself_claims_nothing():
    result = ran(edits={"tests/test_exit.py": b"import os\n\n\ndef test_it():\n    os._exit(0)\n"})
    assert (result.ok, result.summary.startswith("the run is broken and says nothing")) == (False, True)
    assert "passed" not in result.output


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("tests/test_none.py", "there is no test file tests/test_none.py"),
        ("shelf/books.py", "shelf/books.py is no test file"),
        (".env", "there is no test file .env"),
        ("tests/test_books.py::test_none", "no test ran: none matches the names given"),
    ],
)
def test_a_test_that_is_not_there_is_a_mistake(named, said):
    with pytest.raises(UserError) as caught:
        ran([named])
    assert caught.value.what == said
