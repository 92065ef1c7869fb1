"""What each step of a thought's code is shown: everything it goes by once and whole, and files as they are now."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.code_thoughts import (
    BAD,
    CODE_INTENT,
    CODE_PROPOSAL,
    FINDING,
    FIXED,
    HELD_BACK,
    LOUD,
    TEST_FILE,
    TESTS,
    WISH,
    act,
    building,
    create,
    done,
    edit,
    fixing,
    reviewed,
    suite_done,
    with_tests,
)
from flows.thoughts import Garden, agreed, make_garden

GUEST = """

def test_greets_guest_{0}_of_the_long_table():
    assert greet("Guest {0}") == "Hello, Guest {0}!"
"""
MANY = "".join(GUEST.format(number) for number in range(80))
TABLE = """

def test_table_of_all_guests():
    names = ["Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ivy", "Jo"]
    assert [greet(name) for name in names] == [f"Hello, {name}!" for name in names]
"""
MARK = "\n\ndef test_mark():\n    assert json.dumps(greet('x')) and pytest\n"
IMPORT = "from greeter import greet\n"
LONG = f"import json\n\nimport pytest\n\n{IMPORT}{TABLE}{TESTS.removeprefix(IMPORT)}{MANY}{MARK}"
WEAK = LONG.replace('== "Hello, stranger!"', '== "Hello, WOMBAT!"')


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def part(context: str, title: str) -> str:
    """One block of a context; empty when it is not there."""
    return context.partition(f"### {title}\n")[2].partition("\n### ")[0].partition("\n## ")[0]


def test_every_role_has_room_and_sees_files_as_they_are_now(garden: Garden) -> None:
    tests = with_tests(
        create(TEST_FILE, WEAK),
        suite_done(held_back=HELD_BACK[:1]),
        edit(TEST_FILE, "WOMBAT", "stranger"),
        act("complete", artifact={"held_back": HELD_BACK}),
    )
    table = f"{TEST_FILE}::test_table_of_all_guests"
    made = building(
        create("greeter.py", BAD),
        edit("greeter.py", "Bye", "Hello"),
        edit("greeter.py", "Hello", "Bye"),
        act("run_tests", tests=[table]),
        done("greeter.py"),
        edit("greeter.py", "Bye", "Hello"),
        done("greeter.py"),
    )
    mended = fixing(edit("greeter.py", '"greeting %s", name', '"greeting"'), done("greeter.py"))
    proposal = {**CODE_PROPOSAL, "structure": [{"name": "greeter.py", "purpose": "Greets people."}]}
    garden.script(
        *(*agreed(CODE_INTENT, proposal), *tests, *made, *mended),
        *(reviewed(FINDING, context=LOUD), reviewed(), FIXED),
    )
    told = garden.json("think", garden.note(WISH))
    assert (told["phase"], told["exit_code"]) == ("done", 0), told

    # the test engineer: no false finding about the module there will be, own file and hand-in whole, one part anew
    edits = [e["summary"] for e in garden.events("measured") if e["what"] == "edit" and e["stage"] == "tests"]
    assert edits == ["0 new findings", "0 new findings"]
    engineer = garden.contexts("tests")
    handed = part(engineer[2], "what you handed in so far; hand in only the fields that change")
    assert '"greet(name: str) -> str"' in handed
    assert '"args": ["Bo"]' in handed
    assert "guest_79" in part(engineer[2], f"file {TEST_FILE}")
    assert "WOMBAT" in part(engineer[2], f"file {TEST_FILE}")
    assert "WOMBAT" not in part(engineer[3], f"file {TEST_FILE}")
    assert handed == part(engineer[3], "what you handed in so far; hand in only the fields that change")

    # the builder: every test whole, nothing twice, its own code as it is now
    builder = garden.contexts("build")
    assert "guest_40" in part(builder[0], "tests that must pass")
    assert "omitted]" not in builder[0]
    for once in ("A plan for herbs on a balcony.", "### In scope", "Budget is 80 euros."):
        assert builder[0].count(once) == 1, once
    assert "Bye" in part(builder[1], "file greeter.py")
    assert "Bye" not in part(builder[2], "file greeter.py")
    assert "Hello" in part(builder[2], "file greeter.py")

    # a failing test is told with its whole difference, after an edit, by run_tests and by the exit
    for failed in (builder[1], builder[4], builder[5]):
        assert "Bye, Jo!" in failed
        assert "Hello, Jo!" in failed

    # the fixer: the file its point names, after its edit as it is now, with its own change
    fixer = [one for one in garden.contexts("polish") if "### findings to fix" in one]
    assert LOUD in part(fixer[0], "file greeter.py")
    assert LOUD not in part(fixer[1], "file greeter.py")
    assert '+    log.info("greeting")' in part(fixer[1], "your change so far; the files below have it")
    rooms = {e["room"] for e in garden.events("call_started") if e["stage"] == "build"}
    assert rooms == {24_000}
