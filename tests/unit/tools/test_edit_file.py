"""edit_file replaces exact text or applies a patch, and keeps the style of the file."""

from typing import Any

import pytest

from sessions import in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.settings.config import ChangeSettings
from thoughtforge.tools import edit_file

FILES: dict[str, str | bytes] = {
    "a.py": "one\ntwo\ntwo\nthree\n",
    "windows.txt": b"\xef\xbb\xbfone\r\ntwo\r\nthree",
    "mixed.txt": b"one\r\ntwo\nthree\r\n",
    "pic.png": b"\x89PNG\0",
    "old.txt": b"na\xefve\n",
    ".env": "SECRET=1\n",
}


def edited(path: str, **params: Any) -> tuple[str, bytes]:
    async def act(context: ToolContext) -> tuple[str, bytes]:
        result = await edit_file.use({"path": path, **params}, context)
        workspace = context.the_session().workspace
        assert (result.ok, result.output) == (True, f"{result.summary}\njudged: {path}")
        return result.summary, await workspace.read(await workspace.tree(), path)

    return in_session(act, FILES)


def refusal(path: str, files: dict[str, str | bytes] = FILES, **params: Any) -> UserError:
    rules = {key: params.pop(key) for key in ("change",) if key in params}

    async def act(context: ToolContext) -> ToolResult:
        return await edit_file.use({"path": path, **params}, context)

    with pytest.raises(UserError) as caught:
        in_session(act, files, **rules)
    return caught.value


def test_one_place_is_replaced():
    assert edited("a.py", old="three", new="3\n4") == ("edited a.py (+2 −1)", b"one\ntwo\ntwo\n3\n4\n")


def test_all_places_are_replaced_when_that_is_wanted():
    assert edited("a.py", old="two", new="2", all=True) == ("edited a.py (+2 −2)", b"one\n2\n2\nthree\n")


def test_several_places_are_replaced_in_order_in_one_edit():
    places = [{"old": "one", "new": "1"}, {"old": "1\ntwo", "new": "1\n2"}, {"old": "three", "new": "3"}]
    assert edited("a.py", edits=places) == ("edited a.py (+3 −3)", b"1\n2\ntwo\n3\n")


def test_one_edit_that_does_not_fit_leaves_all_of_them_out():
    said = refusal("a.py", edits=[{"old": "one", "new": "1"}, {"old": "two", "new": "2"}])
    assert said.what == "edit 2 of 2: the text occurs 2 times in a.py, at lines 2, 3; none of them was made"


def test_text_that_occurs_more_often_is_refused_with_its_lines():
    said = refusal("a.py", old="two", new="2")
    assert said.what == "the text occurs 2 times in a.py, at lines 2, 3"


def test_a_patch_is_applied():
    patch = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,1 @@\n-one\n two\n"
    assert edited("a.py", patch=patch) == ("edited a.py (+0 −1)", b"two\ntwo\nthree\n")


def test_line_ends_mark_and_missing_last_line_break_of_a_file_are_kept():
    expected = ("edited windows.txt (+2 −1)", b"\xef\xbb\xbfone\r\n2\r\n2\r\nthree")
    assert edited("windows.txt", old="one\ntwo", new="one\n2\n2") == expected
    assert edited("windows.txt", old="one\r\ntwo", new="one\r\n2\r\n2") == expected
    assert edited("windows.txt", patch="@@ -2 +2,2 @@\n-two\n+2\n+2\n") == expected


def test_a_file_with_mixed_line_ends_is_edited_within_a_line_and_nothing_else_moves():
    assert edited("mixed.txt", old="two", new="2") == ("edited mixed.txt (+1 −1)", b"one\r\n2\nthree\r\n")
    assert "mixes line ends" in refusal("mixed.txt", old="one\ntwo", new="2").what


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("pic.png", "pic.png is a binary file"),
        ("old.txt", "old.txt is not UTF-8 (byte 3), so it cannot be edited without damage"),
        ("b.py", "there is no file b.py in commit"),
        (".env", ".env is hidden by the pattern .env (built in)"),
    ],
)
def test_what_cannot_be_edited_is_refused(path, said):
    assert refusal(path, old="S", new="T").what.startswith(said)


def test_a_link_is_not_edited(tmp_path):
    async def act(context: ToolContext) -> ToolResult:
        workspace = context.the_session().workspace
        oid = await workspace.git.write("hash-object", "-w", "--stdin", stdin=b"a.py")
        await workspace.git.write("update-index", "--add", "--cacheinfo", f"120000,{oid},link.py")
        await context.tree.close()
        context.tree = await context.the_session().view()
        return await edit_file.use({"path": "link.py", "old": "a", "new": "b"}, context)

    with pytest.raises(UserError, match="link.py is a symlink, not a plain file"):
        in_session(act, FILES)


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({}, "new and old is missing"),
        ({"old": "one"}, "new is missing"),
        ({"old": "one", "new": "1", "patch": "@@"}, "give either old and new, or patch, not both"),
        (
            {"old": "one", "new": "1", "edits": [{"old": "one", "new": "1"}]},
            "give either old and new, or edits, not both",
        ),
        (
            {"edits": [{"old": "one", "new": "1"}, {"old": "1", "new": "one"}]},
            "the edits change nothing in a.py",
        ),
        ({"old": "one", "new": "one"}, "old and new are the same; nothing would change"),
        ({"patch": "@@ -1 +1 @@\n one\n"}, "the patch changes nothing in a.py"),
        ({"old": "one", "new": "a\0"}, "the text for a.py has a NUL character"),
    ],
)
def test_an_edit_that_says_nothing_clear_is_refused(params, said):
    assert refusal("a.py", **params).what == said


def test_an_edit_that_makes_a_file_too_large_is_refused():
    said = refusal("a.py", old="one", new="x" * 2000, change=ChangeSettings(file_kb=1))
    assert said.what == "a.py would have 2,015 bytes; the limit is 1 KB"
