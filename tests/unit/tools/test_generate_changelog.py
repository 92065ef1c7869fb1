"""generate_changelog shows the changelog to come and writes nothing."""

from sessions import SHELF, in_session
from thoughtforge.code.tool_context import ToolContext, ToolResult
from thoughtforge.tools import generate_changelog

ENTRIES = [{"kind": "fixed", "text": "An empty shelf."}]


def shown(files: dict[str, str | bytes]) -> ToolResult:
    async def act(context: ToolContext) -> ToolResult:
        before = await context.the_session().workspace.tree()
        result = await generate_changelog.use({"entries": ENTRIES}, context)
        assert await context.the_session().workspace.tree() == before
        return result

    return in_session(act, files)


def test_no_changelog_is_made_where_the_repository_keeps_none():
    assert shown(SHELF).summary == "the repository keeps no changelog; the entries will be in the report"


def test_a_file_for_each_change_is_shown_with_its_name():
    result = shown(SHELF | {"changes/door.fixed.md": "The door opens.\n"})
    assert result.output.splitlines()[1:] == ["changes/change.fixed.md:", "An empty shelf."]


def test_a_long_changelog_is_shown_from_its_beginning():
    old = "".join(f"\n## 1.{number}\n\n* Something.\n" for number in range(40))
    result = shown(SHELF | {"Changelog.md": f"# Changes\n{old}"})
    assert result.summary == "Changelog.md gets 1 line at delivery"
    assert result.output.splitlines()[1:7] == ["# Changes", "", "## Unreleased", "", "* An empty shelf.", ""]
    assert result.output.splitlines()[-1] == "… and 105 lines below"
