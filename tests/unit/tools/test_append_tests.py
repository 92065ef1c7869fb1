"""append_tests: adds to a test file, replaces what it added before, and says everything that is wrong."""

from __future__ import annotations

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import edit_file
from thoughtforge.tools.append_tests import use

PATH = "tests/test_books.py"
FIRST = str(SHELF[PATH]).splitlines()[0]
LINES = str(SHELF[PATH]).count("\n")
AUTOUSE = "@pytest.fixture(autouse=True)\ndef quiet():\n    pass\n\n\ndef test_one"


def test_what_was_added_before_is_replaced() -> None:
    async def act(context: ToolContext) -> tuple[str, str]:
        await use({"path": PATH, "content": "def test_one():\n    assert 1 == 2\n"}, context)
        told = await use({"path": PATH, "content": "\ndef test_two():\n    assert 1 == 2"}, context)
        return told.summary, (context.the_session().workspace.folder / PATH).read_text()

    summary, text = in_session(act)
    assert summary == f"added 4 lines to {PATH}"
    assert text == f"{SHELF[PATH]!s}\n\ndef test_two():\n    assert 1 == 2\n"


def test_what_was_added_can_be_edited_and_what_stood_before_cannot() -> None:
    async def act(context: ToolContext) -> tuple[str, list[UserError]]:
        context.only_own = True
        await use({"path": PATH, "content": "def test_one():\n    assert 1 == 2\n"}, context)
        await edit_file.use({"path": PATH, "old": "1 == 2", "new": "1 == 3"}, context)
        patch = "@@\n def test_one():\n-    assert 1 == 3\n+    assert 1 == 4\n"
        await edit_file.use({"path": PATH, "patch": patch.replace("@@", "@@ -1,2 +1,2 @@", 1)}, context)
        refused = []
        for old, new in ((FIRST, f"{FIRST}  # kept"), ("def test_one", "def count"), ("def test_one", AUTOUSE)):
            with pytest.raises(UserError) as told:
                await edit_file.use({"path": PATH, "old": old, "new": new}, context)
            refused.append(told.value)
        return (context.the_session().workspace.folder / PATH).read_text(), refused

    text, (before, taken, reaching) = in_session(act)
    assert text == f"{SHELF[PATH]!s}\n\ndef test_one():\n    assert 1 == 4\n"
    assert before.what == f"{PATH} was there before this stage; its first {LINES} lines stay as they are"
    assert before.do.startswith("Edit only the lines this stage added below them")
    assert "count occurs in the file already" in taken.what
    assert "@pytest.fixture is not taken here" in reaching.what


def test_everything_wrong_is_told_at_once() -> None:
    async def act(context: ToolContext) -> UserError:
        with pytest.raises(UserError) as told:
            await use({"path": PATH, "content": "def count():\n    pass\n\n\npytestmark = 1\n"}, context)
        return told.value

    told = in_session(act)
    assert "count occurs in the file already" in told.what
    assert any("pytestmark is read by the runner" in line for line in told.details)
