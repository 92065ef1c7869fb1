"""A held-back case that is wrong: the person sees all of it and rules; the author of the code never learns of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flows.code_thoughts import (
    BUILT,
    CODE_INTENT,
    CODE_PROPOSAL,
    HELD_BACK,
    TEST_FILE,
    TESTS,
    WISH,
    always,
    building,
    create,
    done,
    reviewed,
    suite_done,
    with_tests,
)
from flows.thoughts import Garden, agreed, make_garden

WRONG = "Hello, WOMBAT!"
CASES = [HELD_BACK[0], {**HELD_BACK[1], "expect": WRONG}]


@pytest.fixture
def garden(tmp_path: Path) -> Garden:
    """A fresh place outside any repository."""
    return make_garden(tmp_path)


def halted(garden: Garden) -> dict[str, Any]:
    """A build that failed twice on a case nobody can satisfy."""
    tests = with_tests(create(TEST_FILE, TESTS), suite_done(held_back=CASES))
    made = [*building(*BUILT), always("build", done("greeter.py"))]
    garden.script(*agreed(CODE_INTENT, CODE_PROPOSAL), *tests, *made, reviewed())
    return garden.json("think", garden.note(WISH))


def held_back(garden: Garden) -> list[tuple[str, str]]:
    """How the condition stood at each exit of the build."""
    exits = [e for e in garden.events("measured") if e["what"] == "exit" and e["stage"] == "build"]
    return [(c["outcome"], c["detail"]) for e in exits for c in e["criteria"] if c["name"] == "held_back_cases"]


def test_the_person_sees_the_whole_case_and_drops_it_and_the_author_never_sees_it(garden: Garden) -> None:
    told = halted(garden)
    assert (told["phase"], told["halt_reason"]) == ("halted", "held_back"), told
    for part in ("H-2 of AC-2: It greets a stranger.", 'greeter:greet(name="")', WRONG, "Hello, stranger!", "drop H-2"):
        assert part in told["message"], told["message"]
    assert "H-1" not in told["message"]
    refused = garden.run("provide", "last", "drop H-7")
    assert (refused.code, "Those that fail: H-2" in refused.err) == (2, True)
    calls = len(garden.contexts("build"))
    made = garden.json("provide", "last", "drop it\nThe greeting itself is right.")
    assert (made["phase"], made["exit_code"]) == ("done", 0), made
    assert len(garden.contexts("build")) == calls  # measured anew without another call
    alone = "AC-2: a person dropped H-2, so its tests alone measure it"
    assert held_back(garden)[-1] == ("pass", alone)
    assert alone in made["polished"]["open"]
    assert not any(WRONG in one or "H-2 of" in one for one in garden.contexts("build") + garden.contexts("polish"))


def test_a_corrected_case_counts_and_a_kept_one_is_not_asked_about_as_if_nothing_was_said(garden: Garden) -> None:
    halted(garden)
    again = garden.json("provide", "last", "keep")
    assert (again["halt_reason"], "You kept it." in again["message"]) == ("held_back", True), again
    made = garden.json("provide", "last", '= "Hello, stranger!"')
    assert made["phase"] == "done", made
    assert held_back(garden)[-1] == ("pass", "")
    assert not any(WRONG in one for one in garden.contexts("build"))
