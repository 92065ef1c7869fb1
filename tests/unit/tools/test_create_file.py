"""create_file writes new text files and replaces only what the stage itself made."""

from typing import Any

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.config import ChangeSettings
from thoughtforge.tools import create_file


def refusal(path: str, content: str = "x\n", **rules: Any) -> str:
    async def act(context: ToolContext) -> ToolResult:
        return await create_file.use({"path": path, "content": content}, context)

    with pytest.raises(UserError) as caught:
        in_session(act, SHELF | {"data/Café.txt": "x"}, **rules)
    return caught.value.what


def test_a_new_file_is_written_and_judged():
    async def act(context: ToolContext) -> tuple[ToolResult, bytes]:
        result = await create_file.use({"path": "shelf/new/deep.py", "content": "one\ntwo"}, context)
        workspace = context.the_session().workspace
        assert await workspace.matches() == ()
        return result, await workspace.read(await workspace.tree(), "shelf/new/deep.py")

    assert in_session(act) == (
        ToolResult(
            True,
            "created shelf/new/deep.py (2 lines)",
            "created shelf/new/deep.py (2 lines)\njudged: shelf/new/deep.py",
        ),
        b"one\ntwo",
    )


def test_a_file_of_this_stage_is_replaced_unless_nothing_would_change():
    async def act(context: ToolContext) -> list[tuple[bool, str]]:
        texts = ("a\nb\n", "a\nc\nd\n", "a\nc\nd\n", "")
        results = [await create_file.use({"path": "tests/test_new.py", "content": text}, context) for text in texts]
        return [(result.ok, result.summary) for result in results]

    assert in_session(act) == [
        (True, "created tests/test_new.py (2 lines)"),
        (True, "replaced tests/test_new.py (+2 −1)"),
        (False, "tests/test_new.py already has this content"),
        (True, "replaced tests/test_new.py (+0 −3)"),
    ]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("shelf/books.py", "shelf/books.py exists already"),
        ("shelf", "shelf is a folder"),
        ("README.md/x", "README.md is a file, so nothing can be below it"),
        ("Shelf/Books.py", "Shelf/Books.py differs from shelf/books.py in case only"),
        ("data/CAFÉ.txt", "data/CAFÉ.txt differs from data/Café.txt in case only"),
        ("data/Café.txt", "data/Café.txt exists already"),
    ],
)
def test_a_path_that_is_taken_is_refused(path, said):
    assert refusal(path) == said


def test_a_hidden_path_is_refused_without_saying_whether_it_exists():
    assert [refusal(path).partition(" ")[2] for path in (".env", "deploy/.env")] == [
        "is hidden by the pattern .env (built in)"
    ] * 2


def test_what_is_no_text_is_refused():
    assert refusal("a.txt", "a\0b") == "the text for a.txt has a NUL character"
    assert refusal("a.txt", "a\ud800") == "the text for a.txt has half of a surrogate pair at character 2"


def test_a_file_above_the_limit_is_refused():
    assert (
        refusal("a.txt", "x" * 1025, change=ChangeSettings(file_kb=1))
        == "a.txt would have 1,025 bytes; the limit is 1 KB"
    )


def test_a_stage_without_a_session_cannot_write(use):
    with pytest.raises(UserError, match="does not write or run code"):
        use(create_file, {"path": "a", "content": ""}, {"b": ""})
