"""Regression guards at red's exit: they pass today, for a reason, and nothing new is smuggled in as one."""

from __future__ import annotations

from typing import Any, NamedTuple

from sessions import in_session
from thoughtforge.code import red
from thoughtforge.code.exit import read_held
from thoughtforge.code.session import of
from thoughtforge.code.tool_context import Edit, ToolContext
from thoughtforge.kernel.model import JsonObject

SPECIFICATION: JsonObject = {
    "requirements": [
        {
            "id": "REQ-001",
            "description": "count_unique(books) counts each title once; count stays as it is.",
            "acceptance_criteria": ["count_unique(['a', 'a']) is 1.", "count(['a', 'a']) stays 2."],
            "verification_method": "test",
        }
    ],
    "files_to_modify": ["shelf/books.py"],
    "regression_guards": ["REQ-001.2"],
}
NEW = "tests/test_unique.py"
UNIQUE = """from shelf import books


def test_a_title_counts_once():
    assert books.count_unique(["a", "a"]) == 1
"""
GUARD = """

def test_every_copy_counts():
    assert books.count(["a", "a"]) == 2
"""
HELD: list[dict[str, Any]] = [
    {"criterion": "REQ-001.1", "kind": "call", "target": "shelf.books:count_unique", "args": [["x"]], "expect": 1},
    {"criterion": "REQ-001.2", "kind": "call", "target": "shelf.books:count", "args": [["x"]], "expect": 1},
]


class Handed(NamedTuple):
    """What red hands in; the honest hand-in unless something else is given."""

    text: str = UNIQUE + GUARD
    guard: str = "test_every_copy_counts"
    guard_file: str = NEW
    held: list[dict[str, Any]] = HELD
    also: tuple[tuple[str, str], ...] = ()
    """Further tests with their criterion."""

    def artifact(self) -> JsonObject:
        rows = [(NEW, "test_a_title_counts_once", "1"), (self.guard_file, self.guard, "2")]
        rows += [(NEW, name, number) for name, number in self.also]
        files: dict[str, list[JsonObject]] = {}
        for path, name, number in rows:
            test = {"name": name, "requirement_ref": "REQ-001", "acceptance_criterion": f"REQ-001.{number}"}
            files.setdefault(path, []).append(test)
        return {"test_files": [{"path": p, "tests": t} for p, t in files.items()], "held_back": self.held}


def measured(*hand_ins: Handed, specification: JsonObject = SPECIFICATION) -> list[dict[str, str]]:
    """The conditions that do not hold for each hand-in: name → detail."""

    async def act(context: ToolContext) -> list[dict[str, str]]:
        session = context.the_session()
        start = await session.workspace.tree()
        first = await session.test(start)
        session.hold_to(of(first, first))
        found = []
        for handed in hand_ins:
            await context.write([Edit(NEW, handed.text.encode())])
            held, problems = read_held(handed.artifact())
            assert problems == ()
            tree = await session.workspace.tree()
            written = red.Written(specification, handed.artifact(), held.cases, held.files, start, tree)
            exit = await red.measure(session, written)
            found.append({c.name: c.detail for c in exit.criteria if c.outcome != "pass"})
        return found

    return in_session(act)


def test_a_guard_that_holds_today_passes_red_whether_its_test_is_new_or_old() -> None:
    old = Handed(text=UNIQUE, guard="test_count", guard_file="tests/test_books.py", held=HELD)
    other = [HELD[0], {**HELD[1], "args": [["x", "y"]], "expect": 2}]
    assert measured(Handed(), old._replace(held=other)) == [{}, {}]


IDLE = UNIQUE + "\n\ndef test_every_copy_counts():\n    assert len(books.__name__) == 11\n"
SWALLOWS = (
    UNIQUE + "\n\ndef test_every_copy_counts():\n    try:\n        assert books.count(['a', 'a']) == 2\n"
    "    except AssertionError:\n        pass\n"
)
CALLS = UNIQUE + "\n\ndef test_every_copy_counts():\n    books.count(['a', 'a'])\n    assert 1 + 1 == 2\n"
ITSELF = UNIQUE + "\n\ndef test_every_copy_counts():\n    found = books.count(['a', 'a'])\n    assert found == found\n"
TRUE = UNIQUE + "\n\ndef test_every_copy_counts():\n    assert not books.count([])\n    assert books.count(['a'])\n"
EARLY = (
    UNIQUE.replace("from shelf import books", "from shelf import books\nfrom shelf.books import count_unique") + GUARD
)
WRONG_TODAY = UNIQUE + GUARD.replace("== 2", "== 1")


def test_a_guard_that_proves_nothing_is_refused() -> None:
    idle, swallows, early, wrong_today = measured(
        Handed(IDLE), Handed(SWALLOWS), Handed(EARLY), Handed(WRONG_TODAY, held=[HELD[0], {**HELD[1], "expect": 2}])
    )
    guard = f"{NEW}::test_every_copy_counts"
    assert idle == {"guards_hold": f"{guard} passes when no function of the product works: it guards nothing"}
    assert swallows.pop("guards_hold") == f"{guard} passes whatever it expects"
    assert early == {"guards_hold": f"{guard} cannot be run today; move it to a file that needs nothing new"}
    assert wrong_today["guards_hold"].startswith(f"{guard} failed today, and a regression guard passes before")
    assert "REQ-001.2 does not hold today" in wrong_today["cases_held_back"]


def test_a_guard_that_calls_the_code_and_expects_nothing_of_it_is_refused() -> None:
    calls, itself, true = measured(Handed(CALLS), Handed(ITSELF), Handed(TRUE))
    loose = f"{NEW}::test_every_copy_counts passes whatever the functions of the product return: it expects nothing"
    assert [calls, itself] == [{"guards_hold": loose}] * 2
    assert true == {}


def test_new_behaviour_is_not_smuggled_in_as_a_guard() -> None:
    passing = "\n\ndef test_of_nothing_new():\n    assert books.count([]) == 0\n"
    both, unlisted = measured(
        Handed(also=(("test_every_copy_counts", "1"),)),
        Handed(text=UNIQUE + GUARD + passing),
    )
    assert f"{NEW}::test_every_copy_counts passed before the behaviour exists" in both["all_tests_fail"]
    assert f"{NEW}::test_of_nothing_new passed before the behaviour exists" in unlisted["all_tests_fail"]
    assert "(REQ-001.2)" in unlisted["all_tests_fail"]


def test_an_old_test_decides_no_new_behaviour() -> None:
    known = {**SPECIFICATION, "regression_guards": []}
    (found,) = measured(Handed(UNIQUE, "test_count", "tests/test_books.py"), specification=known)
    assert "tests/test_books.py has no new test test_count" in found["tests_exist"]
    assert "the case for REQ-001.2 holds already" in found["cases_held_back"]
