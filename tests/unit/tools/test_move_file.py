"""move_file takes content to another path, byte by byte."""

import pytest

from sessions import in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import move_file

FILES: dict[str, str | bytes] = {"a/one.bin": b"\0\xff", "a/two.py": "x\n", ".env": "SECRET=1\n"}


def moved(path: str, to: str) -> tuple[ToolResult, tuple[str, ...]]:
    async def act(context: ToolContext) -> tuple[ToolResult, tuple[str, ...]]:
        workspace = context.the_session().workspace
        result = await move_file.use({"path": path, "to": to}, context)
        assert await workspace.read(await workspace.tree(), to) == b"\0\xff"
        assert await workspace.matches() == ()
        return result, await workspace.paths(await workspace.tree())

    return in_session(act, FILES)


def test_a_file_is_at_its_new_path_and_gone_from_the_old_one():
    said = "moved a/one.bin to b/c/one.bin"
    assert moved("a/one.bin", "b/c/one.bin") == (
        ToolResult(True, said, f"{said}\njudged: a/one.bin, b/c/one.bin"),
        (".env", "a/two.py", "b/c/one.bin"),
    )


def test_a_name_may_change_in_case_only():
    assert moved("a/one.bin", "a/One.bin")[1] == (".env", "a/One.bin", "a/two.py")


@pytest.mark.parametrize(
    ("path", "to", "said"),
    [
        ("a/one.bin", "a/two.py", "a/two.py exists already"),
        ("a/one.bin", "a/one.bin", "a/one.bin exists already"),
        ("a/one.bin", "a/TWO.py", "a/TWO.py differs from a/two.py in case only"),
        ("a/one.bin", "a/one.bin/x", "a/one.bin is a file, so nothing can be below it"),
        ("a/none", "b", "there is no file a/none in commit"),
        ("a", "b", "a is a folder"),
        (".env", "env.txt", ".env is hidden"),
        ("a/two.py", "deploy/.env", "deploy/.env is hidden"),
    ],
)
def test_what_cannot_be_moved_is_refused(path, to, said):
    with pytest.raises(UserError) as caught:
        moved(path, to)
    assert caught.value.what.startswith(said)
