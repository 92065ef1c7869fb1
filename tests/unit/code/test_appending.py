"""Red adds to an existing test file: the old tests stay as they are, and only the new ones are red's."""

from __future__ import annotations

from sessions import SHELF, in_session
from thoughtforge.code import red
from thoughtforge.code.appending import addition_problems
from thoughtforge.code.exit import ExitReport, read_held
from thoughtforge.code.session import of
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.kernel.model import JsonObject

OLD = "tests/test_books.py"
TEXT = str(SHELF[OLD])
SPECIFICATION: JsonObject = {
    "requirements": [
        {
            "id": "REQ-001",
            "description": "count_unique(books) counts each title once.",
            "acceptance_criteria": ["count_unique(['a', 'a']) is 1."],
            "verification_method": "test",
        }
    ],
    "files_to_modify": ["shelf/books.py"],
}
CASE = {"criterion": "REQ-001.1", "kind": "call", "target": "shelf.books:count_unique", "args": [["x"]], "expect": 1}
NEW = """

def test_a_title_counts_once():
    from shelf import books

    assert books.count_unique(["a", "a"]) == 1
"""
EARLY = "\n\nfrom shelf.books import count_unique\n" + NEW
"""Its import keeps the old tests of the file from running."""
LISTED = {"name": "test_a_title_counts_once", "requirement_ref": "REQ-001", "acceptance_criterion": "REQ-001.1"}
HANDED = {"test_files": [{"path": OLD, "tests": [LISTED]}], "held_back": [CASE]}


def measured(*texts: str) -> list[ExitReport]:
    """Red's exit for each text of the old file."""

    async def act(context: ToolContext) -> list[ExitReport]:
        session = context.the_session()
        start = await session.workspace.tree()
        first = await session.test(start)
        session.hold_to(of(first, first))
        held, _ = read_held(HANDED)
        found = []
        for text in texts:
            await context.write([Edit(OLD, text.encode())])
            tree = await session.workspace.tree()
            found.append(
                await red.measure(session, red.Written(SPECIFICATION, HANDED, held.cases, held.files, start, tree))
            )
        return found

    return in_session(act)


def bad(exit: ExitReport) -> dict[str, str]:
    return {c.name: c.detail for c in exit.criteria if c.outcome != "pass"}


def test_added_tests_are_reds_and_the_old_ones_are_not() -> None:
    good, early, edited = measured(TEXT + NEW, TEXT + EARLY, TEXT.replace("== 1", "> 0") + NEW)
    assert bad(good) == {}
    assert (good.report["red"]["ids"], good.report["red"]["old"]) == (
        [f"{OLD}::test_a_title_counts_once"],
        [f"{OLD}::test_count"],
    )
    assert "import what does not exist yet inside the new tests" in bad(early)["tests_are_valid"]
    assert f"{OLD}::test_count is gone" in bad(early)["old_tests_pass"]
    assert "what stands in the file must stay as it is" in bad(edited)["only_tests_written"]


def test_only_a_file_with_tests_in_a_known_language_is_added_to() -> None:
    async def act(context: ToolContext) -> list[list[str]]:
        session = context.the_session()
        return [
            await addition_problems(session, path, "x = 1\n", "x = 1\ny = 2\n")
            for path in ("tests/conftest.py", "tests/books.test.js")
        ]

    fixtures, other = in_session(act)
    assert fixtures == ["tests/conftest.py has no tests; only a file with tests is added to"]
    assert other == ["tests/books.test.js: the engine cannot judge additions in this language; create a test file"]
