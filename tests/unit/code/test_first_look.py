"""Whoever writes tests is told at once how they stand today."""

from __future__ import annotations

from sessions import in_session
from thoughtforge.code.red import first_look
from thoughtforge.code.session import of
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.kernel.model import JsonObject

SPECIFICATION: JsonObject = {
    "requirements": [{"id": "REQ-001", "description": "count(books, unique=True) counts titles; first(books) is new."}],
    "files_to_modify": [],
}
NEW = "tests/test_unique.py"
PARAMETER = """from shelf import books


def test_a_title_counts_once():
    assert books.count(["a", "a"], unique=True) == 1


def test_two_titles_count_twice():
    assert books.count(["a", "b"]) == 2


def test_nobody_named_this():
    assert books.count([], deep=True) == 0
"""
IMPORT = "from shelf.books import first\n\n\ndef test_first():\n    assert first(['a']) == 'a'\n"


def test_new_tests_are_counted_by_how_they_stand_with_the_first_error() -> None:
    async def act(context: ToolContext) -> list[str]:
        session = context.the_session()
        report = await session.test(await session.workspace.tree())
        session.hold_to(of(report, report))
        told = []
        for text in (PARAMETER, IMPORT, "def test_(:\n"):
            await context.write([Edit(NEW, text.encode())])
            told.append(await first_look(session, [NEW, "README.md"], SPECIFICATION))
        return [*told, await first_look(session, ["README.md"], SPECIFICATION)]

    mixed, waiting, unreadable, none = in_session(act)
    assert mixed.startswith("new tests: 1 fail as they must, 1 do not fail, 1 broken; first: ")
    assert "test_nobody_named_this is broken, not waiting for the behaviour: TypeError" in mixed
    assert mixed.endswith("names it together with its function")
    assert waiting == "new tests: 1 fail as they must, 0 do not fail, 0 broken"
    assert unreadable.startswith(
        f"new tests: 0 fail as they must, 0 do not fail, 1 broken; first: {NEW}:1: SyntaxError"
    )
    assert none == ""


def test_a_test_that_passes_is_said_to_be_right_for_a_guard_alone() -> None:
    kept = {**SPECIFICATION["requirements"][0], "verification_method": "test", "acceptance_criteria": ["a", "b"]}
    guarded = {**SPECIFICATION, "requirements": [kept], "regression_guards": ["REQ-001.2"]}

    async def act(context: ToolContext) -> str:
        session = context.the_session()
        report = await session.test(await session.workspace.tree())
        session.hold_to(of(report, report))
        await context.write([Edit(NEW, PARAMETER.encode())])
        return await first_look(session, [NEW], guarded)

    assert ", 1 do not fail (right for a regression guard alone), " in in_session(act)
