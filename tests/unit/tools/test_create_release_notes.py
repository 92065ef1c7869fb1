"""create_release_notes writes Markdown below docs/ and nowhere else."""

import pytest

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext
from thoughtforge.kernel.errors import UserError
from thoughtforge.tools import create_release_notes


def written(*paths: str) -> tuple[str, bytes]:
    async def act(context: ToolContext) -> tuple[str, bytes]:
        for path in paths:
            result = await create_release_notes.use({"path": path, "text": "# One\n\nText. \n\n"}, context)
        workspace = context.the_session().workspace
        return result.output, await workspace.read(await workspace.tree(), paths[-1])

    return in_session(act, SHELF | {"docs/guide.md": "x"})


def test_notes_are_written_and_may_be_written_again():
    expected = ("wrote release notes to docs/releases/1.md (3 lines)\njudged: docs/releases/1.md", b"# One\n\nText.\n")
    assert [written(*["docs/releases/1.md"] * times) for times in (1, 2)] == [expected] * 2


@pytest.mark.parametrize("path", ["shelf/notes.md", "docs/run.py", "docs.md", "docs/guide.md"])
def test_other_places_and_older_documents_are_refused(path):
    with pytest.raises(UserError, match=r"do not belong in|exists already"):
        written(path)
