"""delete_file takes one file away."""

import pytest

from sessions import in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import delete_file

FILES: dict[str, str | bytes] = {"a/one.bin": b"\0\xff", "a/two.py": "x\n", ".env": "SECRET=1\n"}


def deleted(path: str) -> tuple[ToolResult, tuple[str, ...]]:
    async def act(context: ToolContext) -> tuple[ToolResult, tuple[str, ...]]:
        result = await delete_file.use({"path": path}, context)
        workspace = context.the_session().workspace
        assert await workspace.matches() == ()
        return result, await workspace.paths(await workspace.tree())

    return in_session(act, FILES)


def test_a_file_is_gone():
    assert deleted("a/one.bin") == (
        ToolResult(True, "deleted a/one.bin (2 bytes)", "deleted a/one.bin (2 bytes)\njudged: a/one.bin"),
        (".env", "a/two.py"),
    )


@pytest.mark.parametrize(
    ("path", "said"), [("none", "there is no file none"), ("a", "a is a folder"), (".env", ".env is hidden")]
)
def test_what_is_no_file_cannot_be_deleted(path, said):
    with pytest.raises(UserError) as caught:
        deleted(path)
    assert caught.value.what.startswith(said)
