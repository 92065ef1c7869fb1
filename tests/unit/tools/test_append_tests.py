"""append_tests: adds to a test file, replaces what it added before, and says everything that is wrong."""

from __future__ import annotations

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools.append_tests import use

PATH = "tests/test_books.py"


def test_what_was_added_before_is_replaced() -> None:
    async def act(context: ToolContext) -> tuple[str, str]:
        await use({"path": PATH, "content": "def test_one():\n    assert 1 == 2\n"}, context)
        told = await use({"path": PATH, "content": "\ndef test_two():\n    assert 1 == 2"}, context)
        return told.summary, (context.the_session().workspace.folder / PATH).read_text()

    summary, text = in_session(act)
    assert summary == f"added 3 lines to {PATH}"
    assert text == f"{SHELF[PATH]!s}\n\ndef test_two():\n    assert 1 == 2\n"


def test_everything_wrong_is_told_at_once() -> None:
    async def act(context: ToolContext) -> UserError:
        with pytest.raises(UserError) as told:
            await use({"path": PATH, "content": "def count():\n    pass\n\n\npytestmark = 1\n"}, context)
        return told.value

    told = in_session(act)
    assert "count occurs in the file already" in told.what
    assert any("pytestmark is read by the runner" in line for line in told.details)
