"""Whoever writes tests is told at once how they stand today."""

from __future__ import annotations

from sessions import SHELF, in_session
from thoughtforge.code.red import first_look
from thoughtforge.code.session import of
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.code.waiting import broken_tests
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


CRASHES = """import os

import pytest
from shelf import books


class Empty:
    def books(self):
        return []


def wanted(titles):
    raise IndexError(titles)


def test_the_first_of_nothing_is_nothing():
    assert books.first([]) == ""


def test_the_first_of_a_number_is_refused_as_a_value():
    with pytest.raises(ValueError):
        books.first(7)


def test_its_own_helper_raises():
    assert wanted([]) == ""


def test_its_own_line_raises():
    assert [books][1] is None


def test_the_machine_refuses():
    assert books.locked() == ""


def test_a_program_is_not_there():
    assert books.opened() == ""


def test_its_callback_raises():
    assert books.each([1], wanted) == []
"""
FIRST = """import subprocess


def first(titles):
    return titles[0]


def locked():
    raise PermissionError(13, "Permission denied")


def opened():
    return subprocess.run(["no-such-program"])


def each(titles, what):
    return [what(title) for title in titles]
"""


def test_an_error_that_comes_out_of_the_product_is_waited_for_and_one_of_the_test_is_not() -> None:
    specification = {"requirements": [{"id": "REQ-001", "description": "No crash."}], "files_to_modify": []}

    async def act(context: ToolContext) -> list[str]:
        session = context.the_session()
        await context.write([Edit(NEW, CRASHES.encode())])
        report = await session.test(await session.workspace.tree(), files=(NEW,))
        return [told.partition("::")[2] for told in broken_tests(session, report.results.values(), specification)]

    broken = in_session(act, {**SHELF, "shelf/books.py": FIRST})
    assert [told.partition(" is broken, not waiting for the behaviour: ")[::2] for told in broken] == [
        ("test_its_own_helper_raises", "IndexError: []"),
        ("test_its_own_line_raises", "IndexError: list index out of range"),
        ("test_the_machine_refuses", "PermissionError: [Errno 13] Permission denied"),
        ("test_a_program_is_not_there", "FileNotFoundError: [Errno 2] No such file or directory: 'no-such-program'"),
        ("test_its_callback_raises", "IndexError: 1"),
    ]
