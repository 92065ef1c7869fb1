"""The tests near an edit are found by name and by imports, nearest first, as many as fit the time."""

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.affected import affected
from thoughtforge.code.session import Baseline
from thoughtforge.code.tool_context import Edit, ToolContext

FILES: dict[str, str | bytes] = SHELF | {
    "shelf/view.py": '"""View."""\nfrom shelf import report\n',
    "tests/conftest.py": "",
    "tests/test_view.py": "def test_it():\n    from shelf.view import report\n",
    "tests/test_counting.py": "from shelf.books import count\n\n\ndef test_it():\n    assert count([]) == 0\n",
    "tests/test_alone.py": "def test_it():\n    pass\n",
    "tests/support.py": "from shelf.books import count\n",
    "tests/test_support.py": "from .support import count\n\n\nclass TestIt:\n    def test_it(self):\n        pass\n",
    "tests/sub/conftest.py": "from shelf import books\n",
    "tests/sub/test_fixture.py": "import unittest\n\n\nclass It(unittest.TestCase):\n    def runTest(self): pass\n",
}
NEAR_BOOKS = (
    "tests/test_books.py",  # called after it
    "tests/test_counting.py",  # imports it
    "tests/sub/test_fixture.py",  # a conftest.py above imports it
    "tests/test_report.py",  # imports what imports it
    "tests/test_support.py",  # imports what imports it, beside the tests
    "tests/test_view.py",  # one further
)


def found(*changed: str, seconds: float = 60, took: dict[str, float] | None = None, **edits: bytes) -> tuple[str, ...]:
    async def act(context: ToolContext) -> tuple[str, ...]:
        session = context.the_session()
        session.baseline = Baseline(seconds=took or {})
        await context.write([Edit(path, data) for path, data in edits.items()])
        return await affected(session, changed, seconds=seconds)

    return in_session(act, FILES)


def test_tests_are_found_by_name_by_import_and_through_other_modules_nearest_first():
    assert found("shelf/books.py") == NEAR_BOOKS


def test_nobody_who_does_not_reach_the_change_is_named():
    assert found("shelf/view.py") == ("tests/test_view.py",)


def test_a_changed_test_is_nearest_itself_and_what_belongs_to_tests_reaches_its_users():
    assert found("tests/test_alone.py") == ("tests/test_alone.py",)
    assert found("tests/support.py") == ("tests/test_support.py",)
    assert found("tests/sub/conftest.py") == ("tests/sub/test_fixture.py",)


def test_only_as_many_as_fit_the_time_are_named_and_unknown_ones_count_a_fifth_of_a_second():
    took = {"tests/test_books.py::a": 0.3, "tests/test_books.py::b": 0.3, "tests/test_counting.py::a": 9}
    assert found("shelf/books.py", seconds=0.85, took=took) == ("tests/test_books.py", "tests/sub/test_fixture.py")
    assert found("shelf/books.py", seconds=0) == ()


def test_an_edit_changes_what_is_near():
    edits = {"tests/test_alone.py": b"import shelf.view\n\n\ndef test_it():\n    pass\n"}
    assert found("shelf/view.py", **edits) == ("tests/test_view.py", "tests/test_alone.py")


def test_nothing_changed_affects_nothing():
    assert found() == ()


@pytest.mark.parametrize("data", ["shelf/data.json", "README.md"])
def test_a_file_nobody_imports_affects_nothing_unless_a_test_is_called_after_it(data):
    assert found(data) == ()
